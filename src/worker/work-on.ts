import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptOutcome } from '../domain/contract.ts';
import { CcdError } from '../domain/errors.ts';
import type { Oid } from '../domain/ids.ts';
import { matchesAny } from '../guard/model/path-pattern.ts';
import { childAccess, commandEnvironment } from './agent-access.ts';
import { runTry, type TryEnd } from './agent-try.ts';
import type { BoundAttempt } from './bound-attempt.ts';
import { closedBreaker } from './breaker.ts';
import { addUsed } from './budget.ts';
import { readClaim } from './claim.ts';
import { attemptOutcome } from './claude/outcome.ts';
import { settingsJson } from './claude/settings.ts';
import { conflictsLeft, stillConflicted } from './conflict-markers.ts';
import { faultOutcome, faultText } from './fault-outcome.ts';
import { nothingSeen, type Observed, type Seen } from './observed.ts';
import { afterFailure, type FailedTry, failureDigest, type RepairDecision } from './repair.ts';
import { rulesText } from './rules.ts';
import { TreeKeeper } from './tree-keeper.ts';
import { TreeWatch } from './tree-watch.ts';
import { type CheckPlace, type FailedCheck, runCommand, verificationCommands, verify } from './verify.ts';
import type { WorkTreeReading } from './work-tree/work-tree.ts';
import { type Workspace, WorkspaceMaker } from './workspace.ts';

/**
 * The work itself, from an empty folder to the last tree: set-up, then tries until the checks pass, each failed check going
 * into the next try. Trees are handed over when the first meaningful one stands, every few minutes, and at each try's end.
 */
export async function workOn(attempt: BoundAttempt): Promise<Observed> {
  const { config } = attempt.folders;
  await writeFile(join(config, 'settings.json'), settingsJson(), { mode: 0o600 });
  await writeFile(join(config, 'rules.txt'), rulesText(attempt.instructions), { mode: 0o600 });
  const progress = new Progress(attempt);
  try {
    return await progress.run();
  } catch (fault) {
    attempt.tools.log.error('the attempt ended by a fault', { fault: faultText(fault) });
    return progress.observed('failed', faultOutcome(fault));
  }
}

/** A way to end that is no success: what the report will say. */
interface Ending {
  readonly status: Observed['status'];
  readonly outcome: AttemptOutcome;
}

/** What a failed try tells the next one. */
interface Lesson {
  readonly failed: FailedCheck;
  readonly said: string | null;
}

/** What an attempt has come to so far. */
class Progress {
  readonly #attempt: BoundAttempt;
  readonly #maker: WorkspaceMaker;
  readonly #keeper: TreeKeeper;
  #seen: Seen = nothingSeen;
  #breaker = closedBreaker;
  readonly #failures: FailedTry[] = [];

  constructor(attempt: BoundAttempt) {
    this.#attempt = attempt;
    this.#keeper = new TreeKeeper(attempt);
    const base = { commit: attempt.contract.base, tree: attempt.contract.baseTree };
    this.#maker = new WorkspaceMaker(attempt.clone, attempt.folders, base);
  }

  observed(status: Observed['status'], outcome: AttemptOutcome): Observed {
    const { tree, lastSequence } = this.#keeper;
    const wanted = verificationCommands(this.#attempt.spec);
    const { enforced } = this.#attempt.sandbox;
    return { ...this.#seen, tree, lastSequence, status, outcome, enforced, wanted };
  }

  async run(): Promise<Observed> {
    let start: Oid = this.#attempt.start.tree;
    let workspace = await this.#workspaceAt(start);
    let lesson: Lesson | null = null;
    for (let number = 1; ; number += 1) {
      const late = this.#stopped() ?? this.#outOfTime();
      if (late !== null) return this.observed(late.status, late.outcome);
      const end: TryEnd = await this.#try(number, workspace, start, lesson);
      workspace = end.workspace;
      const reading = await this.#readTree(end);
      const ending = this.#stopped() ?? (await this.#save(end, reading));
      if (ending !== null) return this.observed(ending.status, ending.outcome);
      const failed = await this.#check(workspace);
      const stopped = this.#stopped();
      if (stopped !== null) return this.observed(stopped.status, stopped.outcome);
      if (failed === null) return this.observed('ready', attemptOutcome('completed'));
      const decision = this.#afterFailure(reading.tree, failed);
      if (decision !== 'repair') return this.observed('failed', attemptOutcome(decision));
      start = reading.tree;
      lesson = { failed, said: this.#seen.claim?.summary ?? null };
    }
  }

  #afterFailure(tree: Oid, failed: FailedCheck): RepairDecision {
    this.#failures.push({ tree, failure: failureDigest(failed) });
    const decision = afterFailure(this.#failures, this.#attempt.contract.limits.maxTries);
    const { command, exitCode, timedOut } = failed;
    this.#attempt.tools.log.warn('a check failed', { command, exitCode, timedOut, decision });
    return decision;
  }

  async #workspaceAt(tree: Oid): Promise<Workspace> {
    return this.#maker.make(tree, async (workspace) => {
      const { setup } = this.#attempt.spec;
      if (setup === null) return;
      const place = this.#place(workspace, { network: true, timeoutMs: this.#attempt.job.times.setupMs });
      // Scripts of dependencies stay off: they are other people's code, run before anybody looked at it.
      const env = commandEnvironment(this.#attempt, {
        npm_config_ignore_scripts: 'true',
        YARN_ENABLE_SCRIPTS: 'false',
      });
      const { failed } = await runCommand(this.#attempt.sandbox, setup, { ...place, env }, 'setup');
      if (failed !== null && !this.#attempt.stop.aborted) throw setupFailed(setup, failed);
      await workspace.tree.noteForeign(this.#attempt.tools.clock.now());
    });
  }

  async #try(number: number, workspace: Workspace, start: Oid, lesson: Lesson | null): Promise<TryEnd> {
    this.#seen = { ...this.#seen, tries: number };
    let current = workspace;
    const watch = this.#watchFor(() => current);
    try {
      return await runTry(this.#attempt, {
        number,
        workspace,
        failed: lesson === null ? [] : [lesson.failed],
        said: lesson?.said ?? null,
        used: this.#seen.used,
        breaker: this.#breaker,
        renew: async () => {
          current = await this.#workspaceAt(start);
          return current;
        },
        onProgress: () => watch.nudge(),
      });
    } finally {
      await watch.close();
    }
  }

  /** The work tree is watched while the agent works: for the first tree worth showing, then for checkpoints. */
  #watchFor(current: () => Workspace): TreeWatch {
    const { tools, spec, job } = this.#attempt;
    return new TreeWatch({
      read: () => current().tree.read(tools.clock.now()),
      spec,
      isFirst: this.#keeper.lastSequence === 0,
      onTree: async (reading) => (await this.#keeper.save(reading)) === 'saved',
      onFault: (fault) =>
        tools.log.warn('the work tree could not be handed over yet', { fault: faultText(fault) }),
      pollMs: job.times.treePollMs,
      gapMs: job.times.treeGapMs,
      checkpointMs: job.times.checkpointMs,
      clock: tools.clock,
    });
  }

  /** Books a try and reads what it left in the work folder. */
  async #readTree(end: TryEnd): Promise<WorkTreeReading> {
    this.#breaker = end.breaker;
    this.#seen = {
      ...this.#seen,
      used: addUsed(this.#seen.used, end.used),
      swept: this.#seen.swept + end.swept,
      agentVersion: end.version ?? this.#seen.agentVersion,
      model: end.model ?? this.#seen.model,
      claim: end.claim === null ? this.#seen.claim : readClaim(end.claim),
    };
    const reading = await end.workspace.tree.read(this.#attempt.tools.clock.now());
    await this.#note(reading);
    return reading;
  }

  /** Hands over what was finished, whatever came after; then tells whether the attempt ends here. */
  async #save(end: TryEnd, reading: WorkTreeReading): Promise<Ending | null> {
    const saved = reading.changed.length === 0 ? 'saved' : await this.#keeper.save(reading);
    const { outcome } = end;
    if (outcome.class !== 'success' && outcome.class !== 'empty') {
      return { status: outcome.class === 'auth' ? 'blocked' : 'failed', outcome };
    }
    if (reading.changed.length === 0) return { status: 'failed', outcome: attemptOutcome('no-change') };
    return saved === 'saved' ? null : { status: 'failed', outcome: attemptOutcome(saved) };
  }

  async #note(reading: WorkTreeReading): Promise<void> {
    const { clone, spec, start } = this.#attempt;
    const { changed, violations, tree } = reading;
    const outside = changed.map(({ path }) => path).filter((path) => !matchesAny(path, spec.allowedPaths));
    const conflicted = await stillConflicted(clone.objects, start.carried?.conflicts ?? [], changed);
    this.#seen = { ...this.#seen, changed, lastTree: tree, violations, outside, conflicted };
  }

  /**
   * The first failed check, or null when all passed. Conflicts that are left count as one: a suite may well not look there.
   * What checks leave in the work folder is not the agent's.
   */
  async #check(workspace: Workspace): Promise<FailedCheck | null> {
    if (this.#seen.conflicted.length > 0) return conflictsLeft(this.#seen.conflicted);
    const place = this.#place(workspace, { network: false, timeoutMs: this.#attempt.job.times.checkMs });
    const commands = verificationCommands(this.#attempt.spec);
    const { checks, failed } = await verify(this.#attempt.sandbox, commands, place);
    const tried = checks.map((check) => ({ ...check, try: this.#seen.tries }));
    this.#seen = { ...this.#seen, checks: [...this.#seen.checks, ...tried] };
    await workspace.tree.noteForeign(this.#attempt.tools.clock.now());
    return failed;
  }

  #place(workspace: Workspace, bounds: { network: boolean; timeoutMs: number }): CheckPlace {
    const { tools, deadline, folders, stop } = this.#attempt;
    return {
      workFolder: workspace.folder,
      outputFolder: folders.outputs,
      env: commandEnvironment(this.#attempt),
      ...childAccess(this.#attempt, workspace.folder),
      network: bounds.network,
      timeoutMs: Math.max(1, Math.min(bounds.timeoutMs, deadline - tools.clock.now())),
      stop,
    };
  }

  #stopped(): Ending | null {
    const { stop } = this.#attempt;
    if (!stop.aborted) return null;
    return { status: 'failed', outcome: { class: 'cancelled', reason: stopReason(stop.reason) } };
  }

  #outOfTime(): Ending | null {
    const { deadline, tools } = this.#attempt;
    if (tools.clock.now() < deadline) return null;
    return { status: 'failed', outcome: attemptOutcome('wall-clock') };
  }
}

function stopReason(reason: unknown): string {
  return typeof reason === 'string' && /^[a-z0-9-]{1,60}$/.test(reason) ? reason : 'cancelled';
}

function setupFailed(command: string, failed: FailedCheck): CcdError {
  return new CcdError({
    code: 'worker.setup-failed',
    message: `The set-up command ${JSON.stringify(command)} ${failed.timedOut ? 'ran out of time' : `ended with exit code ${failed.exitCode ?? 'none'}`}: ${failed.output.slice(-1500)}`,
    remedy: 'Correct "setup" in the task or in policy; it runs on the base tree, in the sandbox.',
    audience: 'author',
  });
}
