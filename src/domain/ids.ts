import { z } from 'zod';

/** Object id of a git commit, tree or blob: 40 lower-case hexadecimal digits (SHA-1 repositories). */
export const oidSchema = z.string().regex(/^[0-9a-f]{40}$/, 'not a git object id');
export type Oid = z.infer<typeof oidSchema>;

/** The all-zero id: in a lease it means "must not exist". */
export const zeroOid: Oid = '0'.repeat(40);

/** Number of an issue or a pull request as people see it. */
export const issueNumberSchema = z.number().int().positive().max(2_147_483_647);
export type IssueNumber = z.infer<typeof issueNumberSchema>;

/** Database id that GitHub gives to repositories, runs, artifacts, comments, checks and timeline events. */
export const databaseIdSchema = z.number().int().positive();
export type DatabaseId = z.infer<typeof databaseIdSchema>;

/** Fencing token of a task: a whole number from 1 that rises when ownership changes hands. */
export const generationSchema = z.number().int().min(1);
export type Generation = z.infer<typeof generationSchema>;

/** Instant as RFC 3339 text in UTC. */
export const instantSchema = z.iso.datetime();
export type Instant = z.infer<typeof instantSchema>;

/** Money in whole millionths of a US dollar: integers, so that sums are exact. */
export const microUsdSchema = z.number().int().min(0);
export type MicroUsd = z.infer<typeof microUsdSchema>;
