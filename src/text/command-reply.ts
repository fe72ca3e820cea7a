import { z } from 'zod';
import { prose } from './escape.ts';
import { parseMarker, renderMarker } from './marker.ts';

const replyMarkerSchema = z.strictObject({ to: z.string() });

/** Answer to one command comment, or a word about something that happened. `sentence` may hold foreign text: it is escaped. */
export function renderReply(to: string, sentence: string): string {
  return `${renderMarker('reply', { to })}\n${prose(sentence, 1000)}\n`;
}

/** What a reply of ours answers; null for every other comment. */
export function parseReplyMarker(body: string): { to: string } | null {
  return parseMarker('reply', body, replyMarkerSchema);
}
