import type { Repo } from '../../records/repository.ts';
import { actionsActor } from '../report/check-reports.ts';
import type { RunRecord } from '../runs/records.ts';
import { triggersOf } from '../workflow/parse-workflow.ts';
import type { Triggers } from '../workflow/triggers.ts';
import { cronDue, parseCron } from './cron.ts';
import { type StartParts, startOnDefaultBranch } from './start-run.ts';

type Entry = NonNullable<Triggers['schedule']>[number];

const nameOf = (entry: Entry): string => `${entry.cron} ${entry.timezone ?? 'UTC'}`;

/** All entries of the workflows on a repository's default branch, each once. */
async function entriesOf({ files }: StartParts, repo: Repo): Promise<Entry[]> {
  const tip = await repo.git.ref(`refs/heads/${repo.defaultBranch}`);
  const found = new Map<string, Entry>();
  for (const path of tip === null ? [] : await files.list(repo, tip)) {
    const reading = await files.read(repo, tip!, path);
    if (reading === null || reading.kind === 'invalid') continue;
    for (const entry of triggersOf(reading).schedule ?? []) found.set(nameOf(entry), entry);
  }
  return [...found.values()];
}

function fire(parts: StartParts, repo: Repo, entry: Entry): Promise<RunRecord[]> {
  return startOnDefaultBranch(parts, {
    repo,
    actor: actionsActor(parts.store),
    event: 'schedule',
    body: { schedule: entry.cron },
    wants: ({ schedule = [] }) => schedule.some((one) => nameOf(one) === nameOf(entry)),
  });
}

async function fireAll(parts: StartParts, repo: Repo, entries: readonly Entry[]): Promise<RunRecord[]> {
  const runs: RunRecord[] = [];
  for (const entry of entries) runs.push(...(await fire(parts, repo, entry)));
  return runs;
}

/** Starts every workflow of the default branch that has a `schedule`, whatever the time: one run for each entry. */
export async function fireSchedule(parts: StartParts, repo: Repo): Promise<RunRecord[]> {
  return fireAll(parts, repo, await entriesOf(parts, repo));
}

/** Fires schedules by the store's clock. Nothing here watches it: `tick` is to be called when it has moved. */
export class Schedules {
  readonly #parts: StartParts;
  #last: number;

  constructor(parts: StartParts) {
    this.#parts = parts;
    this.#last = parts.store.now();
  }

  /**
   * Starts what has come due since the last tick, each entry once however often it did: GitHub, too, drops what it is
   * late for. A clock that goes back fires nothing twice.
   */
  async tick(): Promise<RunRecord[]> {
    const { store } = this.#parts;
    const [from, to] = [this.#last, store.now()];
    if (to <= from) return [];
    this.#last = to;
    const runs: RunRecord[] = [];
    for (const repo of store.repos.values()) {
      const due = (await entriesOf(this.#parts, repo)).filter(({ cron, timezone }) =>
        cronDue(parseCron(cron), timezone ?? 'UTC', from, to),
      );
      runs.push(...(await fireAll(this.#parts, repo, due)));
    }
    return runs;
  }
}
