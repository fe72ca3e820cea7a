import { z } from 'zod';
import { attemptIdSchema } from '../domain/attempt.ts';
import { generationSchema, issueNumberSchema, oidSchema } from '../domain/ids.ts';
import { plainLine } from './escape.ts';
import { parseMarker, renderMarker } from './marker.ts';

/** The pull request's metadata: a projection of state for people, always overwritten from it. */
export const pullMarkerSchema = z.strictObject({
  issue: issueNumberSchema,
  generation: generationSchema,
  attempt: attemptIdSchema,
  candidate: oidSchema,
});
export type PullMarker = z.infer<typeof pullMarkerSchema>;

/** Body of a task's pull request. No closing keyword: the issue is closed by the app when the landing is proven. */
export function renderPullBody(marker: PullMarker): string {
  const lines = [
    renderMarker('pull', marker),
    `Task: #${marker.issue}`,
    '',
    `Generation ${marker.generation}, attempt ${marker.attempt}, candidate ${marker.candidate}.`,
    '',
    'Written by a coding agent, published by ccd. The check `ccd / guard` on the head commit says what the guard found.',
    'ccd lands this through its merge queue and closes the task when the landing is proven; do not merge it by hand.',
    'Closing this pull request puts the task on hold.',
  ];
  return `${lines.join('\n')}\n`;
}

/** The marker of a pull request body, or null. Anybody can write one: compare it with state, never believe it. */
export function parsePullMarker(body: string): PullMarker | null {
  return parseMarker('pull', body, pullMarkerSchema);
}

/** Title of a task's pull request: the issue's title with everything taken out that GitHub or CI would act on. At most 256 characters. */
export function renderPullTitle(issue: number, issueTitle: string): string {
  const title = withoutClosing(plainLine(issueTitle, 200));
  return title === '' ? `Task ${issue}` : `Task ${issue}: ${title}`;
}

/** A closing keyword acts on a reference; the references are gone already, the blank before the colon makes sure. */
function withoutClosing(title: string): string {
  return title.replace(/\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?=\S*# ?\d)/gi, '$1 – ');
}
