import { readFile } from 'node:fs/promises';
import { CcdError } from '../../domain/errors.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import { defaultPolicy } from '../../policy/default-policy.ts';
import { loadPolicy } from '../../policy/load-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import { parseSpec } from '../../spec/parse-spec.ts';
import { usage } from '../usage.ts';

/** The one task of a demonstration on a user's repository. */
export interface OwnTask {
  readonly title: string;
  readonly body: string;
}

/** Reads an issue from a file: a first line `# title` names it and is no part of its body. Throws `cli.usage`. */
export async function readTask(path: string): Promise<OwnTask> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw usage(
      `The spec ${path} cannot be read (${cause.code ?? cause.message}).`,
      'Name a file in Markdown with --spec.',
      cause,
    );
  });
  const text = decode(bytes, path);
  const match = /^\uFEFF?# +(.+?) *\r?\n/.exec(text);
  return { title: match?.[1] ?? 'A task', body: match === null ? text : text.slice(match[0].length) };
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw usage(`The spec ${path} is not UTF-8.`, 'Name a file in Markdown with --spec.', cause);
  }
}

/**
 * What the task asks for, by the repository's own policy (null: it has none). The loop would refuse a spec with problems as well; here
 * they are all named before anything starts. Throws `demo.spec`, or `policy.invalid`.
 */
export function specOf(task: OwnTask, policyText: string | null): TaskSpec {
  const read = parseSpec(task.body, policyText === null ? defaultPolicy : policyOf(policyText));
  if (read.kind === 'valid') return read.spec;
  const problems = read.problems.map(({ message, line }) =>
    line === null ? message : `${message} (line ${line})`,
  );
  throw new CcdError({
    code: 'demo.spec',
    message: `The spec cannot be used. ${problems.join(' ')}`,
    remedy: 'Correct it; docs/spec.md names all fields.',
    audience: 'operator',
  });
}

function policyOf(text: string): Policy {
  const loaded = loadPolicy(text);
  if (loaded.kind === 'valid') return loaded.policy;
  throw new CcdError({
    code: 'policy.invalid',
    message: `.github/ccd.yml at HEAD cannot be used. ${loaded.problems.map(({ field, message }) => `${field}: ${message}`).join(' ')}`,
    remedy: 'Correct it, commit, and run again.',
    audience: 'operator',
  });
}
