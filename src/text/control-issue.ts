import { z } from 'zod';
import { prose } from './escape.ts';
import { parseMarker, renderMarker } from './marker.ts';

export interface ControlIssue {
  readonly repository: string;
  readonly trunk: string;
  readonly pause: { readonly by: 'person' | 'alarm'; readonly code: string; readonly at: string } | null;
  readonly frozen: boolean;
  readonly alarms: readonly { readonly code: string; readonly detail: string }[];
  readonly queue: readonly { readonly kind: 'task' | 'pull'; readonly number: number }[];
}

export const controlIssueTitle = 'ccd: control';

export const controlMarkerSchema = z.strictObject({ repository: z.string() });

/** Body of the issue on which people command the machine for the whole repository. */
export function renderControlIssue(control: ControlIssue): string {
  const parts = [
    renderMarker('control', { repository: control.repository }),
    `ccd lands tasks on \`${control.trunk}\`. State: **${stateOf(control)}**.`,
    ...alarmsOf(control),
    queueOf(control),
    'People with write access command by a comment whose first line is one of:',
    '```text\n/ccd pause\n/ccd resume\n/ccd status\n```',
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The repository whose control issue a body is; null for every other issue. */
export function parseControlMarker(body: string): { repository: string } | null {
  return parseMarker('control', body, controlMarkerSchema);
}

function stateOf({ pause, frozen }: ControlIssue): string {
  const words = [
    ...(pause === null
      ? []
      : [`paused by ${pause.by === 'alarm' ? 'an alarm' : 'a person'} (${pause.code}) since ${pause.at}`]),
    ...(frozen ? ['frozen'] : []),
  ];
  return words.length === 0 ? 'at work' : words.join(', ');
}

function alarmsOf({ alarms }: ControlIssue): string[] {
  if (alarms.length === 0) return [];
  const lines = alarms.map(({ code, detail }) => `- **${code}**: ${prose(detail, 500)}`);
  return [
    `Alarms; the machine stands until a person has looked and said \`/ccd resume\`:\n\n${lines.join('\n')}`,
  ];
}

function queueOf({ queue }: ControlIssue): string {
  if (queue.length === 0) return 'The merge queue is empty.';
  return `Merge queue:\n\n${queue.map(({ kind, number }, index) => `${index + 1}. ${kind} #${number}`).join('\n')}`;
}
