import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CcdError } from '../../domain/errors.ts';
import { loadPolicy } from '../../policy/load-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import { specDigest } from '../../spec/digest.ts';
import { type ParsedSpec, parseSpec } from '../../spec/parse-spec.ts';
import { echo } from '../../text/echo.ts';
import type { CliCommand, CliIo } from '../command.ts';

interface SpecOptions {
  readonly json?: boolean;
  readonly policy?: string;
}

/** `ccd spec <file>`: reads an issue body from a file and says what was understood. Exit 0 valid, 1 invalid, 2 unreadable. */
export const specCommand: CliCommand = {
  name: 'spec',
  register(program: Command, io: CliIo): void {
    program
      .command('spec')
      .description('Read an issue body from a file and show what ccd understands of it.')
      .argument('<file>', 'Markdown text as it would stand in the issue')
      .option('--policy <file>', 'policy to apply, as in .github/ccd.yml (default: all defaults)')
      .option('--json', 'print one JSON document: {valid, digest, spec, problems, notes}')
      .addHelpText('after', '\nExample:\n  ccd spec task.md --policy .github/ccd.yml\n')
      .action(async (file: string, options: SpecOptions) => {
        const policy = await readPolicy(options.policy, io);
        const parsed = parseSpec(await readText(file, io), policy);
        io.stdout(
          options.json === true ? `${JSON.stringify(documentOf(parsed), null, 2)}\n` : `${echo(parsed)}\n`,
        );
        io.setExit(parsed.kind === 'valid' ? 0 : 1);
      });
  },
};

function documentOf(parsed: ParsedSpec): Record<string, unknown> {
  const { notes } = parsed;
  return parsed.kind === 'valid'
    ? { valid: true, digest: specDigest(parsed.spec), spec: parsed.spec, problems: [], notes }
    : { valid: false, digest: null, spec: parsed.partial, problems: parsed.problems, notes };
}

async function readPolicy(file: string | undefined, io: CliIo): Promise<Policy> {
  const loaded = loadPolicy(file === undefined ? null : await readText(file, io));
  if (loaded.kind === 'valid') return loaded.policy;
  const faults = loaded.problems.map(
    ({ field, message, line }) => `${field}${line === null ? '' : ` (line ${line})`}: ${message}`,
  );
  throw new CcdError({
    code: 'policy.invalid',
    message: `The policy ${file ?? ''} cannot be used. ${faults.join(' ')}`,
    remedy: 'Correct it and run again.',
    audience: 'operator',
  });
}

async function readText(file: string, io: CliIo): Promise<string> {
  const bytes = await readFile(resolve(io.cwd, file)).catch((cause: unknown) => {
    throw unreadable(
      file,
      cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown fault',
      cause,
    );
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw unreadable(file, 'it is not UTF-8', cause);
  }
}

function unreadable(file: string, why: string, cause: unknown): CcdError {
  return new CcdError({
    code: 'spec.unreadable',
    message: `The file ${file} cannot be read (${why}).`,
    remedy: 'Name a readable UTF-8 text file.',
    audience: 'operator',
    cause,
  });
}
