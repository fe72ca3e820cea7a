import { type Digest, digestSchema } from '../domain/digest.ts';
import { type Oid, oidSchema } from '../domain/ids.ts';

export type CommentCommand =
  | { readonly verb: 'queue'; readonly commit: Oid }
  | { readonly verb: 'unqueue' | 'pause' | 'resume' | 'hold' | 'cancel' | 'status' }
  | { readonly verb: 'waive'; readonly fingerprint: Digest; readonly reason: string }
  | { readonly verb: 'confirm'; readonly digest: Digest };

export type CommandReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'command'; readonly command: CommentCommand }
  /** Meant as a command but not readable as one: the words for its author stand in `text/answer-words.ts`. */
  | { readonly kind: 'malformed'; readonly problem: CommandProblem; readonly verb: string | null };

export type CommandProblem =
  | 'unknown-verb'
  | 'takes-nothing'
  | 'write-queue'
  | 'write-confirm'
  | 'write-waive';

const bareVerbs = ['unqueue', 'pause', 'resume', 'hold', 'cancel', 'status'] as const;
const malformed = (problem: CommandProblem, verb: string | null = null): CommandReading => ({
  kind: 'malformed',
  problem,
  verb,
});
const command = (read: CommentCommand): CommandReading => ({ kind: 'command', command: read });

/**
 * Reads the command in a comment: its first line, starting with `/ccd` in the first column, exact words. Nothing below the first
 * line counts, so a quotation or a fence can never command.
 */
export function parseCommentCommand(body: string): CommandReading {
  const [first = ''] = body.split(/\r\n|\r|\n/, 1);
  const match = /^\/ccd(?:[ \t]+(.*))?$/.exec(first);
  if (match === null) return { kind: 'none' };
  const [verb = '', ...rest] = (match[1] ?? '').trim().split(/[ \t]+/);
  const bare = bareVerbs.find((known) => known === verb);
  if (bare !== undefined)
    return rest.length === 0 ? command({ verb: bare }) : malformed('takes-nothing', bare);
  switch (verb) {
    case 'queue':
      return readQueue(rest);
    case 'confirm':
      return readConfirm(rest);
    case 'waive':
      return readWaive(rest);
    default:
      return malformed('unknown-verb');
  }
}

function readQueue(rest: readonly string[]): CommandReading {
  const commit = oidSchema.safeParse(rest[0]);
  if (rest.length !== 1 || !commit.success) return malformed('write-queue');
  return command({ verb: 'queue', commit: commit.data });
}

function readConfirm(rest: readonly string[]): CommandReading {
  const digest = digestSchema.safeParse(rest[0]);
  if (rest.length !== 1 || !digest.success) return malformed('write-confirm');
  return command({ verb: 'confirm', digest: digest.data });
}

function readWaive(rest: readonly string[]): CommandReading {
  const fingerprint = digestSchema.safeParse(rest[0]);
  const reason = rest.slice(1).join(' ').slice(0, 500);
  if (!fingerprint.success || reason === '') return malformed('write-waive');
  return command({ verb: 'waive', fingerprint: fingerprint.data, reason });
}
