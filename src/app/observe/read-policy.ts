import type { Oid } from '../../domain/ids.ts';
import type { ObjectReader } from '../../git/objects.ts';
import { type LoadedPolicy, loadPolicy } from '../../policy/load-policy.ts';

export const policyPath = '.github/ccd.yml';
const maxPolicyBytes = 256 * 1024;

/** Reads the policy from a commit's own tree: the base's, never the head's. No file means all defaults. */
export async function readPolicy(objects: ObjectReader, commit: Oid): Promise<LoadedPolicy> {
  const text = await readFileAt(objects, commit, policyPath, maxPolicyBytes);
  if (text.kind === 'odd') {
    const message = `${policyPath} is no plain file of at most ${maxPolicyBytes} bytes.`;
    return { kind: 'invalid', problems: [{ field: 'policy', code: 'unreadable', message, line: null }] };
  }
  return loadPolicy(text.kind === 'text' ? text.text : null);
}

type FileText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'odd' };

/** One regular file of a commit's tree as text. */
export async function readFileAt(
  objects: ObjectReader,
  commit: Oid,
  path: string,
  maxBytes: number,
): Promise<FileText> {
  let at: Oid = commit;
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    const node = (await objects.readTreeLevel(at)).find((entry) => entry.name === part);
    if (node === undefined) return { kind: 'absent' };
    const last = index === parts.length - 1;
    if (node.kind !== (last ? 'blob' : 'tree') || node.mode === '120000') return { kind: 'odd' };
    at = node.oid;
  }
  const info = await objects.info(at);
  if (info === null || info.size > maxBytes) return { kind: 'odd' };
  return { kind: 'text', text: (await objects.readBlob(at, maxBytes)).toString('utf8') };
}
