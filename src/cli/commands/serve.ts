import type { Command } from 'commander';
import { readConfig } from '../../app/config.ts';
import { openDoors } from '../../app/open-repository.ts';
import { serve } from '../../app/serve.ts';
import { checkGit } from '../../git/check-git.ts';
import { createLog } from '../../host/log.ts';
import { createRedactor } from '../../host/redact.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { bundledJudge } from '../judge-command.ts';
import { killPoints } from '../kill-points.ts';

/** `ccd serve`: the app. Settings come from the environment; it runs until it is told to end. */
export const serveCommand: CliCommand = {
  name: 'serve',
  register: (program: Command, io: CliIo) => {
    program
      .command('serve')
      .description('Run the GitHub App: take webhooks, follow tasks, land what was proven.')
      .option('--json', 'print {"port": …} once it listens')
      .addHelpText('after', '\nExample:\n  APP_ID=1 PRIVATE_KEY_PATH=key.pem WEBHOOK_SECRET=… ccd serve\n')
      .action((options: { json?: boolean }) => runServe(options, io));
  },
};

async function runServe(options: { json?: boolean }, io: CliIo): Promise<void> {
  await checkGit();
  const config = readConfig(io.env);
  const redactor = createRedactor([config.privateKey, config.webhookSecret]);
  const log = createLog(
    (line) => io.stderr(line),
    () => Date.now(),
    (text) => redactor.clean(text),
  );
  const judge = bundledJudge(process.execPath, import.meta.url);
  const app = await serve(openDoors(config, log, judge, killPoints(io.env, process)));
  io.stdout(options.json ? `${JSON.stringify({ port: app.port })}\n` : `ccd listens on port ${app.port}.\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await app.close();
  process.exit(0);
}
