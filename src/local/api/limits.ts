import { z } from 'zod';

/** GitHub's limits, each answered with 422 and never truncated. */
export const Title = z.string().min(1).max(256, 'title is too long (maximum is 256 characters)');
export const Body = z.string().max(65_536, 'body is too long (maximum is 65536 characters)');
export const LabelName = z.string().min(1).max(50, 'name is too long (maximum is 50 characters)');
