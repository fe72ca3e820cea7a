import type { Repo } from '../records/repository.ts';
import type { View } from './page.ts';

/** The change of a range of commits as git writes it: `diff` as one, `patch` as mails. */
export async function patchOf(repo: Repo, range: string, format: string): Promise<View> {
  const args =
    format === 'diff'
      ? ['diff', '--no-ext-diff', '--no-color', range]
      : ['format-patch', '--no-ext-diff', '--no-color', '--stdout', range];
  const { stdout } = await repo.git.run(args);
  return { kind: 'file', type: 'text/plain; charset=utf-8', name: null, data: stdout };
}
