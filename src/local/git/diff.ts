import { countLines, type LineCounts } from './line-counts.ts';
import type { GitRepository } from './repository.ts';

export interface FileChange {
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'changed';
  readonly path: string;
  readonly previousPath: string | null;
  readonly oid: string;
  readonly additions: number;
  readonly deletions: number;
  /** Unified diff without its file header; null for binary and oversized files. */
  readonly patch: string | null;
}

const STATUS: Readonly<Record<string, FileChange['status']>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  T: 'changed',
  R: 'renamed',
};

/** Lines added and deleted in each changed file between two commits. */
export async function changedLines(
  git: GitRepository,
  from: string,
  to: string,
): Promise<readonly LineCounts[]> {
  const counted = await countLines(git, from, to);
  if (counted !== null) return counted;
  const { stdout } = await git.run(['diff', '-M', '--no-ext-diff', '--numstat', '-z', from, to]);
  return parseNumstat(stdout.toString('utf8'));
}

/** Changed files between two trees or commits, with patches, as the API shows them. */
export async function diffFiles(git: GitRepository, from: string, to: string): Promise<FileChange[]> {
  const base = ['diff', '-M', '--no-color', '--no-ext-diff', '--full-index'];
  const [raw, numbers, patch] = await Promise.all([
    git.run([...base, '--raw', '--abbrev=40', '-z', from, to]),
    git.run([...base, '--numstat', '-z', from, to]),
    git.run([...base, '-p', from, to]),
  ]);
  const counts = parseNumstat(numbers.stdout.toString('utf8'));
  const patches = patch.stdout
    .toString('utf8')
    .split(/^diff --git .*$/m)
    .slice(1);
  return parseRaw(raw.stdout.toString('utf8')).map((file, index) => ({
    ...file,
    ...(counts[index] ?? { additions: 0, deletions: 0 }),
    patch: hunks(patches[index] ?? ''),
  }));
}

/** Larger patches are left out, as GitHub does. */
const MAX_PATCH = 100_000;

function hunks(patch: string): string | null {
  const start = patch.search(/^@@ /m);
  if (start < 0 || patch.length > MAX_PATCH) return null;
  return patch.slice(start).replace(/\n$/, '');
}

function parseRaw(text: string): Pick<FileChange, 'status' | 'path' | 'previousPath' | 'oid'>[] {
  const fields = text.split('\0');
  const files: Pick<FileChange, 'status' | 'path' | 'previousPath' | 'oid'>[] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const [, , before = '', after = '', status = 'M'] = fields[at]!.split(' ');
    const renamed = status.startsWith('R');
    const first = fields[at + 1]!;
    const path = renamed ? fields[at + 2]! : first;
    files.push({
      status: STATUS[status[0]!] ?? 'changed',
      path,
      previousPath: renamed ? first : null,
      oid: status === 'D' ? before : after,
    });
    at += renamed ? 3 : 2;
  }
  return files;
}

function parseNumstat(text: string): { additions: number; deletions: number }[] {
  const fields = text.split('\0');
  const counts: { additions: number; deletions: number }[] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const [added = '0', deleted = '0', path = ''] = fields[at]!.split('\t');
    counts.push({ additions: Number(added) || 0, deletions: Number(deleted) || 0 });
    at += path === '' ? 3 : 1;
  }
  return counts;
}
