import { z } from 'zod';
import { databaseIdSchema } from '../domain/ids.ts';
import { prose } from './escape.ts';
import { parseMarker, renderMarker } from './marker.ts';

const replyMarkerSchema = z.strictObject({ to: databaseIdSchema });

/** Answer to one command comment. `sentence` may hold foreign text: it is escaped. */
export function renderReply(commentId: number, sentence: string): string {
  return `${renderMarker('reply', { to: commentId })}\n${prose(sentence, 1000)}\n`;
}

/** The comment that a reply of ours answers; null for every other comment. */
export function parseReplyMarker(body: string): { to: number } | null {
  return parseMarker('reply', body, replyMarkerSchema);
}
