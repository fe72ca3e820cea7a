import type { Phase } from '../domain/state.ts';

export interface LabelText {
  readonly name: string;
  /** Six hexadecimal digits. */
  readonly color: string;
  /** At most 100 characters. */
  readonly description: string;
}

/** The one label that people set: it asks for a start. */
export const dispatchLabel = 'ccd:dispatch';

const phases: Record<Phase, readonly [color: string, description: string]> = {
  waiting: ['d4c5f9', 'Waits for something; the status comment says for what'],
  ready: ['c2e0c6', 'Nothing hinders the start'],
  running: ['fbca04', 'A worker is at it'],
  reported: ['fef2c0', 'The worker handed in its report'],
  guarding: ['bfd4f2', 'The guard judges the candidate'],
  reviewing: ['bfdadc', 'Waits for a review'],
  queued: ['1d76db', 'In the merge queue'],
  landed: ['0e8a16', 'Proven to be on trunk'],
  invalid: ['e99695', 'The spec cannot be used; the status comment says why'],
  halted: ['b60205', 'Given up; the status comment says why'],
  interrupted: ['f9d0c4', 'The worker was lost; another generation takes over'],
  superseded: ['cccccc', 'Another task took its place'],
  held: ['d93f0b', 'A person has to decide'],
  withdrawn: ['eeeeee', 'Taken back by a person'],
};

export function phaseLabel(phase: Phase): string {
  return `ccd:${phase}`;
}

/** All labels of ours, for `ccd init`. */
export const labelTexts: readonly LabelText[] = [
  { name: dispatchLabel, color: '5319e7', description: 'Asks ccd to start this task' },
  ...Object.entries(phases).map(([phase, [color, description]]) => ({
    name: phaseLabel(phase as Phase),
    color,
    description,
  })),
];

const phaseLabels: ReadonlySet<string> = new Set(Object.keys(phases).map((phase) => `ccd:${phase}`));

/** What to add and remove so that exactly one phase label stands, or none for null. Labels of others are left alone. */
export function projectLabels(
  current: readonly string[],
  phase: Phase | null,
): { add: string[]; remove: string[] } {
  const wanted = phase === null ? null : phaseLabel(phase);
  const add = wanted !== null && !current.includes(wanted) ? [wanted] : [];
  return { add, remove: current.filter((label) => phaseLabels.has(label) && label !== wanted) };
}
