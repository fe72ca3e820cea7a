import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CcdError } from '../../domain/errors.ts';
import { StreamReader } from '../claude/stream.ts';
import type { StreamSummary } from '../claude/stream-summary.ts';
import { judgeRecording } from './judge-recording.ts';
import { parseManifest, type Recording } from './manifest.ts';

export interface Judgement {
  readonly class: string;
  readonly reason: string;
  readonly retry: boolean;
}

export interface WrongJudgement {
  readonly name: string;
  readonly expected: Judgement;
  readonly got: Judgement;
}

export interface FolderJudgement {
  readonly total: number;
  readonly right: number;
  readonly wrong: readonly WrongJudgement[];
}

/**
 * Judges every run of a folder of recordings and holds class and retry against what its manifest expects. Throws CcdError
 * `classify.unreadable` and `classify.manifest`.
 */
export async function judgeFolder(folder: string): Promise<FolderJudgement> {
  const found = await stat(folder).catch((cause: unknown) => {
    throw unreadable(folder, cause);
  });
  if (!found.isDirectory()) throw unreadable(folder, 'it is no folder');
  const path = join(folder, 'manifest.json');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  const recordings = parseManifest(text, path);
  const wrong: WrongJudgement[] = [];
  for (const recording of recordings) {
    const judged = await judgeOne(folder, recording);
    if (judged !== null) wrong.push(judged);
  }
  return { total: recordings.length, right: recordings.length - wrong.length, wrong };
}

/** Null when it is right. */
async function judgeOne(folder: string, recording: Recording): Promise<WrongJudgement | null> {
  const summary = await readTranscript(join(folder, recording.file ?? `${recording.name}.jsonl`));
  const { class: kind, reason, retry } = judgeRecording(recording, summary);
  const { name, expected } = recording;
  if (kind === expected.class && retry === expected.retry) return null;
  return { name, expected, got: { class: kind, reason, retry } };
}

async function readTranscript(path: string): Promise<StreamSummary> {
  const reader = new StreamReader();
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }))
      reader.push(chunk as Buffer);
  } catch (cause) {
    throw unreadable(path, cause);
  }
  reader.end();
  return reader.summary;
}

function unreadable(path: string, why: unknown): CcdError {
  const code = why instanceof Error && 'code' in why ? String(why.code) : String(why);
  return new CcdError({
    code: 'classify.unreadable',
    message: `${path} cannot be read (${code}).`,
    remedy: 'Name a folder with a manifest.json and the transcripts that it names.',
    audience: 'operator',
    cause: why,
  });
}
