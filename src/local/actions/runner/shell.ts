import { CcdError } from '../../../domain/errors.ts';

/** GitHub's built-in shells and how each is called; `{0}` is the script file. */
const SHELLS: Readonly<Record<string, { readonly template: string; readonly extension: string }>> = {
  '': { template: 'bash -e {0}', extension: '.sh' },
  bash: { template: 'bash --noprofile --norc -eo pipefail {0}', extension: '.sh' },
  sh: { template: 'sh -e {0}', extension: '.sh' },
  python: { template: 'python3 {0}', extension: '.py' },
};

/** The command of a `run` step for a script file. Throws `local.shell` for a shell that is not served. */
export function shellCommand(shell: string): {
  readonly argv: (script: string) => string[];
  readonly extension: string;
} {
  const known = SHELLS[shell];
  if (known === undefined && !shell.includes('{0}')) {
    throw new CcdError({
      code: 'local.shell',
      message: `shell: ${shell}: not supported by the local runner`,
      remedy: 'Use bash, sh, python, or a command with {0} in it.',
      audience: 'author',
    });
  }
  const { template, extension } = known ?? { template: shell, extension: '' };
  const words = template.split(/\s+/).filter((word) => word !== '');
  return { argv: (script) => words.map((word) => word.replaceAll('{0}', script)), extension };
}
