import { fileURLToPath } from 'node:url';
import type { StaticJudge } from '../app/compute/static-judge.ts';
import { createJudgeChild } from '../app/judge/judge-child.ts';

const maxHeapMegabytes = 1024;
const timeoutMs = 120_000;

/** The judging child as this very bundle starts it. */
export function bundledJudge(execPath: string, bundleUrl: string): StaticJudge {
  const bundle = fileURLToPath(bundleUrl);
  return createJudgeChild({
    command: [execPath, `--max-old-space-size=${maxHeapMegabytes}`, bundle, 'judge-trees'],
    timeoutMs,
  });
}
