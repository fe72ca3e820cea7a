import type { Oid } from '../domain/ids.ts';
import { type Refusal, refused } from './refusal.ts';

/** The one ref of a hand-over. */
export const handoverRef = 'refs/ccd/handover';

export interface BundleHeader {
  readonly kind: 'header';
  /** The throw-away commit. */
  readonly commit: Oid;
  /** Where the pack starts. */
  readonly packAt: number;
  /** Objects that the pack says it holds. */
  readonly objects: number;
}

const maxHeaderBytes = 4096;

/**
 * Header of a hand-over: version 2, or 3 with SHA-1 ids and no filter; exactly one prerequisite, the base; exactly one
 * ref. Anything else is refused, whatever git would make of it.
 */
export function readBundleHeader(bytes: Buffer, base: Oid): BundleHeader | Refusal {
  const end = bytes.subarray(0, maxHeaderBytes).indexOf('\n\n', 0, 'latin1');
  if (end < 0) return refused('bundle-header', 'no end of the header');
  const [signature = '', ...lines] = bytes.toString('latin1', 0, end).split('\n');
  if (signature !== '# v2 git bundle' && signature !== '# v3 git bundle')
    return refused('bundle-header', 'no bundle');
  const capabilities = lines.filter((line) => line.startsWith('@'));
  if (
    capabilities.length > 0 &&
    (signature === '# v2 git bundle' || capabilities.join() !== '@object-format=sha1')
  ) {
    return refused('bundle-header', 'a filter or an unknown capability');
  }
  const prerequisites = lines.filter((line) => line.startsWith('-'));
  if (
    prerequisites.length !== 1 ||
    prerequisites[0]?.slice(1, 41) !== base ||
    !/^( |$)/.test(prerequisites[0].slice(41))
  ) {
    return refused('bundle-prerequisite', 'the base must be the only prerequisite');
  }
  const refs = lines.filter((line) => !/^[@-]/.test(line));
  const ref = /^([0-9a-f]{40}) (.+)$/.exec(refs[0] ?? '');
  if (refs.length !== 1 || ref?.[2] !== handoverRef)
    return refused('bundle-refs', `${handoverRef} must be the only ref`);
  return readPackHead(bytes, end + 2, ref[1] ?? '');
}

function readPackHead(bytes: Buffer, packAt: number, commit: Oid): BundleHeader | Refusal {
  if (bytes.length < packAt + 12 + 20 || bytes.toString('latin1', packAt, packAt + 4) !== 'PACK') {
    return refused('bundle-pack', 'no pack');
  }
  if (bytes.readUInt32BE(packAt + 4) !== 2) return refused('bundle-pack', 'unknown pack version');
  return { kind: 'header', commit, packAt, objects: bytes.readUInt32BE(packAt + 8) };
}
