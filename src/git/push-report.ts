import type { Oid } from '../domain/ids.ts';
import { unexpectedMark } from './push-check.ts';
import type { RefName } from './refs.ts';
import type { GitEnd } from './run-git.ts';

/** One ref's part of a push. Zero `expected`: must not exist. Zero `next`: is deleted. */
export interface RefMove {
  readonly ref: RefName;
  readonly expected: Oid;
  readonly next: Oid;
}

/** A ref that was not where it was expected: seen stale before anything was sent, or overtaken on the server. */
export interface LostRef {
  readonly ref: RefName;
  readonly reason: 'stale' | 'overtaken';
}

/**
 * `moved`: every ref moved, by this very push. `lost`: nothing moved, because a ref was not as expected. `refused`: nothing
 * moved, because the server or a rule forbids it. `unclear`: the answer was lost; read the refs before doing anything else.
 */
export type PushResult =
  | { readonly kind: 'moved' }
  | { readonly kind: 'lost'; readonly refs: readonly LostRef[] }
  | {
      readonly kind: 'refused';
      readonly reason: 'rules' | 'hook' | 'permission' | 'ref-conflict' | 'other';
      readonly refs: readonly RefName[];
      /** The server's own words, for the operator. */
      readonly detail: string;
    }
  | { readonly kind: 'unclear'; readonly cause: string };

interface StatusLine {
  readonly flag: string;
  readonly ref: string;
  readonly summary: string;
}

/** What the end of a `git push --atomic --porcelain` means for the moves that it was asked to make. */
export function readPushEnd(end: GitEnd, moves: readonly RefMove[]): PushResult {
  if (end.kind === 'stopped') return { kind: 'unclear', cause: `git push was stopped: ${end.because}` };
  const text = end.stdout.toString('utf8');
  const lines = text.split('\n').flatMap(readStatusLine);
  const words = `${end.stderr}\n${text}`;
  if (end.code === 0) return readSuccess(lines, moves);
  const named = readUnexpected(end.stderr, moves);
  if (named.length > 0) return { kind: 'lost', refs: named };
  const stale = lines.filter((line) => /\(stale info\)/.test(line.summary));
  if (stale.length > 0) return lost(stale, 'stale');
  const declined = lines.filter((line) => line.flag === '!');
  return declined.length > 0 ? readDeclined(declined, words) : readBreak(words);
}

/** Refs that our own check named. The remote's words are prefixed by git, so they cannot pass for the check's. */
function readUnexpected(stderr: string, moves: readonly RefMove[]): LostRef[] {
  const lines = new Set(stderr.split('\n'));
  return moves
    .filter(({ ref }) => lines.has(`${unexpectedMark}${ref}`))
    .map(({ ref }) => ({ ref, reason: 'stale' }));
}

/** `<flag> TAB <from>:<to> TAB <summary>` */
function readStatusLine(line: string): StatusLine[] {
  const match = /^([ +\-*!=])\t[^\t]*:([^\t:]+)\t(.*)$/.exec(line);
  return match === null ? [] : [{ flag: match[1] ?? '', ref: match[2] ?? '', summary: match[3] ?? '' }];
}

/** Success counts only when git names every move as made; "up to date" is somebody else's move. */
function readSuccess(lines: readonly StatusLine[], moves: readonly RefMove[]): PushResult {
  const made = new Set(lines.filter(({ flag }) => ' +-*'.includes(flag)).map(({ ref }) => ref));
  if (moves.every(({ ref }) => made.has(ref))) return { kind: 'moved' };
  const same = lines.filter(({ flag }) => flag === '=');
  if (made.size === 0 && same.length > 0) return lost(same, 'stale');
  return { kind: 'unclear', cause: 'git push did not report every ref' };
}

function readDeclined(declined: readonly StatusLine[], words: string): PushResult {
  const summaries = declined.map(({ summary }) => summary).join('\n');
  const guilty = guiltyOf(declined);
  const refs = guilty.map(({ ref }) => ref);
  const refused = (reason: (PushResult & { kind: 'refused' })['reason']): PushResult => ({
    kind: 'refused',
    reason,
    refs,
    detail: serverWords(words, summaries),
  });
  if (/failed to report status|unpacker error|internal server error/i.test(summaries)) {
    return { kind: 'unclear', cause: serverWords(words, summaries) };
  }
  if (/cannot create '|there are still refs under|directory\/file conflict/i.test(words))
    return refused('ref-conflict');
  if (/GH013|repository rule violations|protected branch|GH006/i.test(words)) return refused('rules');
  if (/without `?workflows?`? permission|permission to .* denied|not permitted/i.test(words))
    return refused('permission');
  if (/hook declined/.test(summaries)) return refused('hook');
  if (
    /failed to update ref|cannot lock ref|already exists|incorrect old value|atomic transaction|fetch first|failed to lock/i.test(
      words,
    )
  ) {
    return lost(guilty, 'overtaken');
  }
  return refused('other');
}

/** The refs that were declined for themselves, and not because another one was; all when the server does not tell. */
function guiltyOf(declined: readonly StatusLine[]): readonly StatusLine[] {
  const guilty = declined.filter(
    ({ summary }) => !/\(atomic (push failed|push failure|transaction failed)\)/.test(summary),
  );
  return guilty.length > 0 ? guilty : declined;
}

/** No ref was reported. Only a server that turned us away at the door proves that nothing moved. */
function readBreak(words: string): PushResult {
  if (
    /requested URL returned error: 403|Authentication failed|could not read Username|Permission to .* denied/i.test(
      words,
    )
  ) {
    return { kind: 'refused', reason: 'permission', refs: [], detail: serverWords(words, '') };
  }
  return { kind: 'unclear', cause: serverWords(words, 'git push gave no answer') };
}

function lost(lines: readonly StatusLine[], reason: LostRef['reason']): PushResult {
  return { kind: 'lost', refs: lines.map(({ ref }) => ({ ref, reason })) };
}

function serverWords(words: string, otherwise: string): string {
  const said = words
    .split('\n')
    .filter((line) => /^(remote:|error:|fatal:)/.test(line))
    .map((line) => line.trim());
  return (said.length > 0 ? said.join('\n') : otherwise).slice(0, 2000);
}
