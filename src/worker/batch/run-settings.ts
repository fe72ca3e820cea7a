import { usdToMicro } from '../../domain/budget.ts';
import { CcdError } from '../../domain/errors.ts';
import type { Pipeline } from './load-pipeline.ts';

/** What a command line or a workflow says about a run, as texts; empty or undefined where it says nothing. */
export interface AskedSettings {
  readonly workers?: string | undefined;
  readonly maxConcurrent?: string | undefined;
  /** Dollars for each phase. */
  readonly budget?: string | undefined;
  /** Dollars for the run. */
  readonly runBudget?: string | undefined;
}

export interface RunSettings {
  readonly workers: number;
  readonly maxConcurrent: number;
  readonly runBudget: number | null;
  readonly phaseBudget: (phase: string) => number | null;
  readonly warnings: readonly string[];
}

/** The pipeline's own settings and what was asked for above them. Throws CcdError `cli.usage` for what is no number. */
export function runSettings(pipeline: Pipeline, asked: AskedSettings): RunSettings {
  const warnings: string[] = [];
  const atLeastOne = (name: string, value: number): number => {
    if (value >= 1) return value;
    warnings.push(`${name} is ${value} and was lifted to 1`);
    return 1;
  };
  const perPhase = amount('--budget', asked.budget);
  const forRun = amount('--run-budget', asked.runBudget) ?? pipeline.run_budget;
  const phases = new Map(
    pipeline.phases.map(({ name, budget }) => [name, perPhase ?? budget ?? pipeline.budget]),
  );
  for (const [name, usd] of phases) if (usd === 0) warnings.push(`phase ${name} has no budget`);
  return {
    workers: atLeastOne('--workers', whole('--workers', asked.workers) ?? pipeline.workers),
    maxConcurrent: atLeastOne(
      '--max-concurrent',
      whole('--max-concurrent', asked.maxConcurrent) ?? pipeline.max_concurrent,
    ),
    runBudget: cap(forRun),
    phaseBudget: (phase) => cap(phases.get(phase)),
    warnings,
  };
}

/** Zero dollars are no cap. */
function cap(usd: number | undefined): number | null {
  return usd === undefined || usd === 0 ? null : Math.max(1, usdToMicro(usd));
}

function whole(option: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (/^-?\d{1,6}$/.test(text)) return value;
  throw notANumber(option, text, 'a whole number');
}

function amount(option: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw notANumber(option, text, 'dollars, such as 12.50');
}

function notANumber(option: string, text: string, what: string): CcdError {
  return new CcdError({
    code: 'cli.usage',
    message: `${option} ${JSON.stringify(text.slice(0, 100))} is not ${what}.`,
    remedy: 'Run with --help for usage.',
    audience: 'operator',
  });
}
