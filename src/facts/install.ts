import { join } from 'node:path';
import type { FactsPlan } from '../domain/facts.ts';
import type { Sandbox } from '../host/sandbox.ts';
import type { BlobSource } from './blob-source.ts';
import { type Installed, nothingInstalled, takeInstalled } from './installed.ts';
import { layTree } from './lay-tree.ts';
import { readTail } from './read-regular-file.ts';
import { runEnvironment } from './run-environment.ts';
import type { PlanTrees } from './side-entries.ts';
import { clearStage, type Stage } from './stage.ts';

export interface InstallInput {
  readonly plan: FactsPlan;
  readonly stage: Stage;
  readonly trees: PlanTrees;
  readonly blobs: BlobSource;
  readonly options: {
    readonly sandbox: Sandbox;
    readonly env: Readonly<Record<string, string | undefined>>;
  };
}

export type InstallOutcome =
  | { readonly kind: 'installed'; readonly installed: Installed }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs the plan's setup once, on base's own tree and before any of head's code is present, with the network open; what it
 * leaves is used by every side.
 */
export async function install({ plan, stage, trees, blobs, options }: InstallInput): Promise<InstallOutcome> {
  if (plan.setup === null) return { kind: 'installed', installed: nothingInstalled };
  await clearStage(stage);
  const laid = await layTree(stage.tree, trees.base, blobs);
  if (laid.kind === 'refused') return { kind: 'failed', reason: laid.reason };
  const stdoutFile = join(stage.logs, 'out');
  const stderrFile = join(stage.logs, 'err');
  const exit = await options.sandbox.run(['/bin/sh', '-c', plan.setup], {
    cwd: stage.tree,
    env: runEnvironment(options.env, stage, []),
    stdoutFile,
    stderrFile,
    writable: [stage.tree, stage.home, stage.temp],
    network: true,
    timeoutMs: plan.timeoutMs,
  });
  if (exit.exitCode === 0) {
    return {
      kind: 'installed',
      installed: await takeInstalled(
        stage,
        trees.base.map(({ path }) => path),
      ),
    };
  }
  const how = exit.timedOut ? 'did not end within its time limit' : `ended with exit code ${exit.exitCode}`;
  // Some tools tell their faults on standard output alone.
  const said = (await readTail(stderrFile, 1500)).trim() || (await readTail(stdoutFile, 1500)).trim();
  return { kind: 'failed', reason: `The setup command ${how}. ${said}` };
}
