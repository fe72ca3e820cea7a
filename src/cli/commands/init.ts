import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../../app/config.ts';
import { initRepository } from '../../app/init/init-repository.ts';
import { clientFor, openDoors, openRepository } from '../../app/open-repository.ts';
import { CcdError } from '../../domain/errors.ts';
import { checkGit } from '../../git/check-git.ts';
import { findInstallation } from '../../github/observe/repository.ts';
import type { RepoName } from '../../github/repo-name.ts';
import { createLog } from '../../host/log.ts';
import { createRedactor } from '../../host/redact.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { bundledJudge } from '../judge-command.ts';
import { writeScaffold } from '../write-scaffold.ts';

interface InitFlags {
  readonly repo?: string;
  readonly scaffold?: string;
  readonly action?: string;
  readonly json?: boolean;
}

/** `ccd init`: the first day of a repository. */
export const initCommand: CliCommand = {
  name: 'init',
  register: (program: Command, io: CliIo) => {
    program
      .command('init')
      .description(
        'Make a repository ready: files for trunk, then refs, control issue, first build, rulesets.',
      )
      .option('--repo <owner/name>', 'the repository, on which the app is installed')
      .option('--scaffold <dir>', 'write the files that belong on trunk into a checkout, and do nothing else')
      .option(
        '--action <owner/name@ref>',
        'with --scaffold: where the action of ccd is, as the workflows name it',
      )
      .option('--json', 'print the result as one JSON document')
      .addHelpText(
        'after',
        '\nExamples:\n  ccd init --scaffold .            # then commit and push to trunk\n  CCD_ADMIN_TOKEN=… ccd init --repo acme/shop\n',
      )
      .action((flags: InitFlags) =>
        flags.scaffold === undefined ? runInit(flags, io) : scaffold(flags.scaffold, flags, io),
      );
  },
};

async function scaffold(dir: string, flags: InitFlags, io: CliIo): Promise<void> {
  const { written, kept } = await writeScaffold(resolve(io.cwd, dir), flags.action);
  if (flags.json) io.stdout(`${JSON.stringify({ written, kept })}\n`);
  else
    io.stdout(
      [...written.map((path) => `wrote ${path}`), ...kept.map((path) => `kept  ${path}`), ''].join('\n'),
    );
}

async function runInit(flags: InitFlags, io: CliIo): Promise<void> {
  await checkGit();
  const name = repoName(flags.repo);
  const config = readConfig(io.env);
  const admin = io.env.CCD_ADMIN_TOKEN;
  const redactor = createRedactor([config.privateKey, config.webhookSecret, admin ?? '']);
  const log = createLog(
    (line) => io.stderr(line),
    () => Date.now(),
    (text) => redactor.clean(text),
  );
  const doors = openDoors(
    config,
    log,
    bundledJudge(process.execPath, import.meta.url),
    async () => undefined,
  );
  const installation = await findInstallation(doors.appClient, name);
  if (installation === null) {
    throw new CcdError({
      code: 'init.not-installed',
      message: `The app is not installed on ${flags.repo}.`,
      remedy: 'Install it on the repository, then run `ccd init` again.',
      audience: 'operator',
    });
  }
  const context = await openRepository(doors, installation, name);
  try {
    const result = await initRepository(context, {
      admin: admin === undefined ? null : clientFor(doors, async () => admin),
      onStep: (step) => io.stderr(`init: ${step}\n`),
    });
    if (result.protection.kind === 'unavailable') {
      io.stderr(`Warning: no rulesets, so trunk is not protected: ${result.protection.reason}\n`);
    }
    io.stdout(
      flags.json ? `${JSON.stringify(result)}\n` : `Ready. Control issue: #${result.controlIssue}.\n`,
    );
  } finally {
    await context.clone.close();
  }
}

export function repoName(text: string | undefined): RepoName {
  const [owner, name, rest] = (text ?? '').split('/');
  if (owner !== undefined && name !== undefined && rest === undefined && owner !== '' && name !== '')
    return { owner, name };
  throw new CcdError({
    code: 'cli.repository',
    message: text === undefined ? 'No repository was named.' : `"${text}" is no repository.`,
    remedy: 'Name it with --repo owner/name.',
    audience: 'operator',
  });
}
