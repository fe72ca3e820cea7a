import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { CcdError } from '../domain/errors.ts';
import type { Oid } from '../domain/ids.ts';
import { type ChildLimits, spawnGit } from './run-git.ts';

export type ObjectKind = 'blob' | 'tree' | 'commit' | 'tag';

export interface ObjectInfo {
  readonly kind: ObjectKind;
  readonly size: number;
}

/** A conversation with one `git cat-file --batch-command`. Questions may overlap; answers come in order. */
export interface CatFile {
  info(oid: Oid): Promise<ObjectInfo | null>;
  contents(oid: Oid): Promise<Buffer>;
  damaged(): boolean;
  close(): Promise<void>;
}

interface Answer {
  readonly info: ObjectInfo;
  readonly contents: Buffer;
}

interface Question {
  readonly withContents: boolean;
  readonly resolve: (answer: Answer | null) => void;
  readonly reject: (fault: CcdError) => void;
}

interface Conversation {
  readonly child: ChildProcessWithoutNullStreams;
  readonly waiting: Question[];
  buffered: Buffer[];
  bytes: number;
  /** Bytes that must have come before looking again is worth it. */
  needed: number;
}

/** Starts git at the first question and again after it died. It never keeps the process alive by itself. */
export function openCatFile(gitDir: string, limits?: ChildLimits): CatFile {
  let current: Conversation | null = null;
  let broken = false;
  const start = (): Conversation =>
    converse(gitDir, limits, (ended, unanswered) => {
      if (current === ended) current = null;
      // A question without an answer means that git met an object that it cannot read.
      if (unanswered) broken = true;
    });
  const ask = (line: string, withContents: boolean) =>
    new Promise<Answer | null>((resolve, reject) => {
      current ??= start();
      current.child.ref();
      current.waiting.push({ withContents, resolve, reject });
      current.child.stdin.write(`${line}\n`);
    });
  return {
    info: async (oid) => (await ask(`info ${oid}`, false))?.info ?? null,
    contents: async (oid) => {
      const answer = await ask(`contents ${oid}`, true);
      if (answer === null) throw unreadable(`${oid} is missing`);
      return answer.contents;
    },
    damaged: () => broken,
    close: async () => {
      const conversation = current;
      current = null;
      broken = false;
      if (conversation !== null) await endConversation(conversation);
    },
  };
}

function converse(
  gitDir: string,
  limits: ChildLimits | undefined,
  ended: (conversation: Conversation, unanswered: boolean) => void,
): Conversation {
  const child = spawnGit({ args: ['cat-file', '--batch-command'], gitDir, ...(limits && { limits }) });
  const conversation: Conversation = { child, waiting: [], buffered: [], bytes: 0, needed: 1 };
  let error = '';
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) unrefStream(stream);
  child.stdout.on('data', (chunk: Buffer) => {
    conversation.buffered.push(chunk);
    conversation.bytes += chunk.length;
    answerWhatIsThere(conversation);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    error = (error + chunk.toString('utf8')).slice(-4096);
  });
  // A child that died closes the pipe; its end is told below.
  child.stdin.on('error', () => undefined);
  const end = () => {
    ended(conversation, conversation.waiting.length > 0);
    for (const question of conversation.waiting.splice(0)) question.reject(unreadable(error));
  };
  child.on('error', end);
  child.on('close', end);
  return conversation;
}

async function endConversation({ child }: Conversation): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.on('close', () => resolve());
    child.ref();
    child.stdin.end();
  });
}

/** `<oid> <kind> <size>` and, for contents, that many bytes and a line end; or `<oid> missing`. */
function answerWhatIsThere(conversation: Conversation): void {
  for (;;) {
    const question = conversation.waiting[0];
    if (question === undefined || conversation.bytes < conversation.needed) return;
    const joined = Buffer.concat(conversation.buffered);
    conversation.buffered = [joined];
    const lineEnd = joined.indexOf(0x0a);
    if (lineEnd < 0) return;
    const [, kind, size] = joined.toString('latin1', 0, lineEnd).split(' ');
    const present = kind !== 'missing' && kind !== undefined && size !== undefined;
    const total = lineEnd + 1 + (present && question.withContents ? Number(size) + 1 : 0);
    conversation.needed = total;
    if (joined.length < total) return;
    conversation.needed = 1;
    conversation.bytes -= total;
    conversation.waiting.shift();
    conversation.buffered = [joined.subarray(total)];
    if (conversation.waiting.length === 0) conversation.child.unref();
    question.resolve(
      present
        ? {
            info: { kind: kind as ObjectKind, size: Number(size) },
            contents: Buffer.from(joined.subarray(lineEnd + 1, Math.max(lineEnd + 1, total - 1))),
          }
        : null,
    );
  }
}

function unrefStream(stream: unknown): void {
  const handle = stream as { unref?: () => void };
  handle.unref?.();
}

function unreadable(error: string): CcdError {
  return new CcdError({
    code: 'git.object-unreadable',
    message: `The clone holds an object that git cannot read: ${error.trim().slice(-500)}`,
    remedy: 'The next fetch makes the clone anew.',
    audience: 'operator',
  });
}
