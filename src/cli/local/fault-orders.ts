import { appendFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { FaultPlan, FaultRecord } from '../../local/faults/fault-plan.ts';
import { type Play, playPlan, type Stage } from '../../local/faults/play-plan.ts';
import type { CliIo } from '../command.ts';
import { usage } from '../usage.ts';

export interface FaultFlags {
  readonly faults?: string;
  readonly record?: string;
  readonly replay?: string;
}

/** What `ccd local` was told about misbehaviour, read and checked. */
export interface FaultOrders {
  readonly plan: FaultPlan;
  readonly recorded: readonly FaultRecord[] | null;
  /** File that hears of each strike, one JSON document a line. */
  readonly record: string | null;
}

/** Reads a fault plan and, with `--replay`, a record of one. Null without `--faults`. Throws `usage` for what cannot be read. */
export async function readFaultOrders(flags: FaultFlags, io: CliIo): Promise<FaultOrders | null> {
  const { faults, record, replay } = flags;
  if (faults === undefined) {
    if (record === undefined && replay === undefined) return null;
    throw usage('--record and --replay need a plan.', 'Give one with --faults.');
  }
  const plan = read(FaultPlan, JSON.parse, await textOf(faults, io), faults);
  const lines = (text: string): unknown[] =>
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown);
  const recorded =
    replay === undefined ? null : read(z.array(FaultRecord), lines, await textOf(replay, io), replay);
  const file = record === undefined ? null : resolve(io.cwd, record);
  if (file !== null) begin(file);
  return { plan, recorded, record: file };
}

/** Plays the plan; each strike is a line on standard error, and one in the record. */
export function playFaults(orders: FaultOrders, stage: Omit<Stage, 'tell'>, io: CliIo): Play {
  const tell = (one: FaultRecord): void => {
    io.stderr(`fault: ${one.kind} on ${one.on} by ${one.by}, number ${one.nth}: ${one.what}\n`);
    if (orders.record !== null) appendFileSync(orders.record, `${JSON.stringify(one)}\n`);
  };
  return playPlan({ ...stage, tell }, orders.plan, orders.recorded);
}

async function textOf(path: string, io: CliIo): Promise<string> {
  return readFile(resolve(io.cwd, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usage(`${path} cannot be read (${error.code}).`, 'Name a file.');
  });
}

function read<T>(schema: z.ZodType<T>, parse: (text: string) => unknown, text: string, path: string): T {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw usage(`${path} is no JSON.`, 'docs/local-github.md shows a plan.');
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const where = first?.path.length ? ` at ${first.path.join('.')}` : '';
  throw usage(
    `${path} is no fault plan or record${where}: ${first?.message}.`,
    'docs/local-github.md shows one.',
  );
}

function begin(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST'
      ? usage(`${file} is there already.`, 'Name another file with --record: a record is never overwritten.')
      : usage(`${file} cannot be written (${code}).`, 'Name another file with --record.');
  }
}
