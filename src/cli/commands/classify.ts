import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  type FolderJudgement,
  type Judgement,
  judgeFolder,
  type WrongJudgement,
} from '../../worker/recordings/judge-folder.ts';
import type { CliCommand, CliIo } from '../command.ts';

/** `ccd classify <folder>`: judges recorded runs of the agent. Exit 0 all right, 1 some wrong, 2 unreadable. */
export const classifyCommand: CliCommand = {
  name: 'classify',
  register: (program: Command, io: CliIo) => {
    program
      .command('classify')
      .description('Judge recorded runs of the agent and compare with what their manifest expects.')
      .argument('<folder>', 'a folder with manifest.json and transcripts, such as fixtures/transcripts')
      .option('--json', 'print one JSON document: {total, right, wrong}')
      .addHelpText('after', '\nExample:\n  ccd classify fixtures/transcripts --json\n')
      .action(async (folder: string, options: { readonly json?: boolean }) => {
        const judged = await judgeFolder(resolve(io.cwd, folder));
        io.stdout(options.json === true ? `${JSON.stringify(judged)}\n` : plainText(judged));
        io.setExit(judged.wrong.length === 0 ? 0 : 1);
      });
  },
};

function plainText({ total, right, wrong }: FolderJudgement): string {
  return `${wrong.map(wrongLine).join('')}${total} judged, ${right} right, ${wrong.length} wrong\n`;
}

function wrongLine({ name, expected, got }: WrongJudgement): string {
  return `${printable(name)}: expected ${words(expected)}, got ${words(got)}\n`;
}

function words({ class: kind, reason, retry }: Judgement): string {
  return printable(`${kind} (${reason || 'no reason'}, ${retry ? 'retry' : 'no retry'})`);
}

/** What a manifest says must not steer the terminal. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ');
}
