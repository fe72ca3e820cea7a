import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { judgeRequestSchema } from '../../app/judge/judge-protocol.ts';
import { judgeTrees } from '../../app/judge/judge-trees.ts';
import { CcdError } from '../../domain/errors.ts';
import { findWasm } from '../../facts/find-wasm.ts';
import { loadParsers } from '../../guard/parse/load-parsers.ts';
import type { CliCommand, CliIo } from '../command.ts';

/** The app's judging child: one request on standard input, one answer on standard output. Not for people. */
export const judgeTreesCommand: CliCommand = {
  name: 'judge-trees',
  register: (program: Command, io: CliIo) => {
    program.command('judge-trees', { hidden: true }).action(async () => {
      const request = judgeRequestSchema.safeParse(JSON.parse(await readAll(process.stdin)));
      if (!request.success) {
        throw new CcdError({
          code: 'judge.request',
          message: `The request cannot be read: ${request.error.issues[0]?.message ?? 'no reason'}.`,
          remedy: 'This command is started by ccd itself.',
          audience: 'bug',
        });
      }
      const { rules, ...rest } = request.data;
      const parsers = await loadParsers(findWasm(dirname(fileURLToPath(import.meta.url))));
      const answer = await judgeTrees({ ...rest, ...(rules === undefined ? {} : { rules }) }, parsers);
      io.stdout(JSON.stringify(answer));
    });
  },
};

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
