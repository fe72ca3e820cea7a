import type { ReportAdapter } from './reports/adapter.ts';
import { type ResolvedSegment, resolveCommand, type ScriptsOf } from './resolve-command.ts';

/** A segment of the test command that is a test runner we can read. */
export interface FoundRunner {
  readonly index: number;
  /** Index of the runner's own word in the segment. */
  readonly at: number;
  readonly adapter: ReportAdapter;
}

export type RunnerSearch =
  | {
      readonly kind: 'found';
      readonly segments: readonly ResolvedSegment[];
      readonly runners: readonly FoundRunner[];
    }
  | { readonly kind: 'unknown'; readonly reason: string };

const wrappers = new Set([
  'npx',
  'bunx',
  'env',
  'cross-env',
  'time',
  'exec',
  'c8',
  'nyc',
  'dotenv',
  'yarn',
  'pnpm',
  'uv',
  'poetry',
  'bundle',
]);
const wrapperVerbs = new Set(['exec', 'run', 'dlx']);

/** Finds the test runners that a command starts, through package scripts and the usual wrappers. Never throws. */
export function findRunners(
  command: string,
  scriptsOf: ScriptsOf,
  adapters: readonly ReportAdapter[],
): RunnerSearch {
  const segments = resolveCommand(command, scriptsOf);
  const runners = segments.flatMap((segment, index) => {
    const found = runnerIn(segment, adapters);
    return found === null ? [] : [{ index, ...found }];
  });
  if (runners.length > 0) return { kind: 'found', segments, runners };
  return {
    kind: 'unknown',
    reason: `No test runner that the guard can read was found in the test command \`${command}\`.`,
  };
}

function runnerIn(
  { words }: ResolvedSegment,
  adapters: readonly ReportAdapter[],
): { at: number; adapter: ReportAdapter } | null {
  const texts = words.map(({ text }) => text);
  let wrapped = false;
  for (const [at, word] of texts.entries()) {
    const adapter = adapters.find((candidate) => candidate.matches(texts.slice(at)));
    if (adapter !== undefined) return { at, adapter };
    const isAssignment = /^[A-Za-z_]\w*=/.test(word);
    const isWrapper = wrappers.has(word.replace(/^.*\//, ''));
    const belongsToWrapper = wrapped && (word.startsWith('-') || wrapperVerbs.has(word));
    if (!isAssignment && !isWrapper && !belongsToWrapper) return null;
    wrapped ||= isWrapper;
  }
  return null;
}
