import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundRunner, RunnerSearch } from '../guard/facts/find-runner.ts';
import type { ReportPlaces } from '../guard/facts/reports/adapter.ts';
import { joinSegments } from '../guard/facts/resolve-command.ts';
import type { Stage } from './stage.ts';

/** One runner of the command, with where its report will be and by what it is known. */
export interface PreparedRunner {
  readonly found: FoundRunner;
  readonly folder: string;
  readonly places: ReportPlaces;
  readonly key: string;
}

export interface PreparedCommand {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly runners: readonly PreparedRunner[];
}

/** Makes each runner of a test command leave its report outside the tree, under names that nobody can guess. */
export async function prepareCommand(
  search: Extract<RunnerSearch, { kind: 'found' }>,
  stage: Stage,
): Promise<PreparedCommand> {
  const segments = search.segments.map(({ source, after }) => ({ source, after }));
  const runners: PreparedRunner[] = [];
  let env: Record<string, string> = {};
  for (const found of search.runners) {
    const segment = search.segments[found.index];
    if (segment === undefined) continue;
    const runner = await prepareRunner(found, segment.folder, stage);
    const instrumented = found.adapter.instrument(segment, found.at, runner.places);
    segments[found.index] = { source: instrumented.source, after: segment.after };
    env = { ...env, ...instrumented.env };
    runners.push(runner);
  }
  return { command: joinSegments(segments), env, runners };
}

async function prepareRunner(found: FoundRunner, folder: string, stage: Stage): Promise<PreparedRunner> {
  const name = randomBytes(16).toString('hex');
  const key = randomBytes(32).toString('hex');
  const supportDir = join(stage.support, name);
  const places = { supportDir, reportFile: join(stage.reports, `${name}.report`) };
  await mkdir(supportDir, { recursive: true });
  for (const [file, text] of Object.entries(found.adapter.supportFiles(places, key))) {
    await writeFile(join(supportDir, file), text, { mode: 0o600 });
  }
  return { found, folder, places, key };
}
