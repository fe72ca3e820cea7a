import { join } from 'node:path';
import type { Command } from 'commander';
import { loadState } from '../../app/observe/load-state.ts';
import { CcdError } from '../../domain/errors.ts';
import type { State } from '../../domain/state.ts';
import { openClone } from '../../git/bare-clone.ts';
import { checkGit } from '../../git/check-git.ts';
import { stateRef } from '../../git/refs.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { openThrowaway } from '../throwaway.ts';
import { repoName } from './init.ts';

interface StatusFlags {
  readonly repo?: string;
  readonly json?: boolean;
}

/** `ccd status`: what the state branch says. Needs read access to the repository, and no app. */
export const statusCommand: CliCommand = {
  name: 'status',
  register: (program: Command, io: CliIo) => {
    program
      .command('status')
      .description('Show what ccd is doing on a repository, from its state branch.')
      .option('--repo <owner/name>', 'the repository')
      .option('--json', 'print the state as one JSON document')
      .addHelpText('after', '\nExample:\n  GITHUB_TOKEN=… ccd status --repo acme/shop\n')
      .action((flags: StatusFlags) => runStatus(flags, io));
  },
};

async function runStatus(flags: StatusFlags, io: CliIo): Promise<void> {
  await checkGit();
  const { owner, name } = repoName(flags.repo);
  const root = (io.env.CCD_GIT_URL ?? 'https://github.com').replace(/\/+$/, '');
  const place = openThrowaway('ccd-status-', process, () => undefined);
  const clone = await openClone({
    dir: join(place.dir, 'clone.git'),
    remoteUrl: `${root}/${owner}/${name}.git`,
    token: async () => io.env.GITHUB_TOKEN ?? '',
  });
  try {
    const refs = await clone.fetch();
    const loaded = await loadState(clone.objects, refs.get(stateRef) ?? null);
    if (loaded.kind === 'alarm') {
      throw new CcdError({
        code: loaded.alarm.code,
        message: loaded.alarm.detail,
        remedy:
          'Run `ccd init` on a new repository; on one that worked before, a person must restore the branch.',
        audience: 'operator',
      });
    }
    io.stdout(flags.json ? `${JSON.stringify(document(loaded.state))}\n` : table(loaded.state));
  } finally {
    await clone.close();
    place.remove();
  }
}

function document(state: State) {
  const { ready, pause, frozen, controlIssue } = state.repository;
  return {
    ready,
    pause,
    frozen,
    controlIssue,
    queue: state.queue.members.map(({ kind, number, candidate }) => ({ kind, number, candidate })),
    build:
      state.queue.build === null ? null : { number: state.queue.build.number, try: state.queue.build.try },
    tasks: [...state.tasks.values()].map(({ issue, phase, reason, generation, verdict, landed }) => ({
      issue,
      phase,
      reason,
      generation,
      verdict: verdict?.verdict ?? null,
      landed: landed?.commit ?? null,
    })),
  };
}

function table(state: State): string {
  const { ready, pause, tasks, queue, build } = document(state);
  const lines = tasks.map(({ issue, phase, generation, reason }) => {
    const why = reason === null ? '' : `  ${reason.code}${reason.of === null ? '' : ` ${reason.of}`}`;
    return `#${issue}  ${phase}  generation ${generation}${why}`;
  });
  const head =
    pause !== null ? `paused by ${pause.by} (${pause.code})` : ready ? 'at work' : 'not ready: run ccd init';
  const building = build === null ? 'none' : `build ${build.number}, try ${build.try}`;
  const active = lines.length === 0 ? ['no active task'] : lines;
  return `${[head, `queue: ${queue.length} waiting, in flight: ${building}`, ...active].join('\n')}\n`;
}
