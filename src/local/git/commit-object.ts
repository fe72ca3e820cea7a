import type { Signature } from './commit-log.ts';

/** A commit object's content, read. */
export interface CommitObject {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  /** Seconds since the epoch. */
  readonly committedAt: number;
  /** Without its last line break. */
  readonly message: string;
}

/** Reads the content of a commit object; null when it is none that can be read here (another encoding, no committer). */
export function parseCommitObject(oid: string, content: Buffer): CommitObject | null {
  const text = content.toString('utf8');
  const end = text.indexOf('\n\n');
  const head = (end < 0 ? text : text.slice(0, end)).split('\n');
  const values = (name: string): string[] =>
    head.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const [tree] = values('tree');
  const author = parseSignature(values('author')[0]);
  const committer = parseSignature(values('committer')[0]);
  if (tree === undefined || !author || !committer || values('encoding').length > 0) return null;
  return {
    oid,
    tree,
    parents: values('parent'),
    author: author.signature,
    committer: committer.signature,
    committedAt: committer.seconds,
    message: end < 0 ? '' : text.slice(end + 2).replace(/\n$/, ''),
  };
}

function parseSignature(text: string | undefined): { signature: Signature; seconds: number } | null {
  const match = /^(.*?) ?<([^<>]*)> (\d{1,11}) ([+-])(\d\d)(\d\d)$/.exec(text ?? '');
  if (!match) return null;
  const [, name = '', email = '', seconds = '', sign = '+', hours = '', minutes = ''] = match;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const local = new Date((Number(seconds) + offset * 60) * 1000).toISOString().slice(0, 19);
  return {
    signature: { name, email, date: `${local}${sign}${hours}:${minutes}` },
    seconds: Number(seconds),
  };
}
