import { execa } from 'execa';
import { digestValue } from '../../domain/digest.ts';
import type { StaticJudge, StaticJudgeOutput } from '../compute/static-judge.ts';
import { judgeAnswerSchema } from './judge-protocol.ts';

export interface JudgeChildOptions {
  /** Program and arguments that start the child, such as node and the bundle of `ccd` with its judging command. */
  readonly command: readonly [string, ...string[]];
  readonly timeoutMs: number;
}

const rememberedAnswers = 200;
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * Judges in a child with bounds on time and memory: hostile files meet parsers there, not in the app. A child that overruns
 * or breaks is `could-not-judge`. Judging is a function of its input, so an answer is remembered.
 */
export function createJudgeChild(options: JudgeChildOptions): StaticJudge {
  const answers = new Map<string, StaticJudgeOutput>();
  return async (input) => {
    const key = digestValue({ ...input, repoDir: null });
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = await askChild(options, JSON.stringify(input));
    if (answer.statics.kind === 'judged') remember(answers, key, answer);
    return answer;
  };
}

function remember(answers: Map<string, StaticJudgeOutput>, key: string, answer: StaticJudgeOutput): void {
  if (answers.size >= rememberedAnswers) answers.delete(answers.keys().next().value!);
  answers.set(key, answer);
}

async function askChild(
  { command, timeoutMs }: JudgeChildOptions,
  input: string,
): Promise<StaticJudgeOutput> {
  const [program, ...args] = command;
  const end = await execa(program, args, {
    input,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    reject: false,
    extendEnv: false,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
    maxBuffer: maxAnswerBytes,
    stripFinalNewline: false,
  });
  if (end.exitCode !== 0)
    return overrun(end.timedOut ? `took longer than ${timeoutMs} ms` : 'ended before it had judged');
  const answer = judgeAnswerSchema.safeParse(parse(end.stdout));
  return answer.success ? answer.data : overrun('did not answer in the agreed form');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function overrun(what: string): StaticJudgeOutput {
  const reason = `The judging child ${what}.`;
  return { statics: { kind: 'could-not-judge', reason }, need: { kind: 'could-not', reason } };
}
