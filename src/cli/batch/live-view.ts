import { styleText } from 'node:util';
import type { BatchEvent } from '../../worker/batch/batch-event.ts';
import {
  emptyView,
  eventText,
  money,
  nextView,
  type PhaseView,
  type RunView,
} from '../../worker/batch/run-view.ts';
import { printable } from './printable.ts';

/** Shows the events of a run to a person. */
export interface Watcher {
  show(event: BatchEvent): void;
  /** Leaves the last picture standing; what is written afterwards stands below it. */
  close(): void;
}

/** One line an event, for a pipe or a log. */
export function plainWatcher(write: (text: string) => void): Watcher {
  return {
    show: (event) => {
      const line = eventText(event);
      if (line !== null) write(`${printable(line)}\n`);
    },
    close: () => undefined,
  };
}

/** How often a terminal is drawn anew, at most. */
const frameMs = 100;
const barCells = 20;

/** A picture of all phases that is drawn over itself, and below it the last of what happened. */
export function liveWatcher(write: (text: string) => void, width: () => number, now: () => number): Watcher {
  let view = emptyView;
  let drawn = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  const draw = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const lines = pictureOf(view).map((line) => cutTo(line, Math.max(20, width() - 1)));
    const back = drawn === 0 ? '' : `\u001b[${drawn}A`;
    write(`${back}${lines.map((line) => `\u001b[2K${coloured(line)}\n`).join('')}\u001b[J`);
    drawn = lines.length;
    drawnAt = now();
  };
  return {
    show: (event) => {
      view = nextView(view, event);
      if (now() - drawnAt >= frameMs) draw();
      else timer ??= setTimeout(draw, frameMs);
    },
    close: () => {
      draw();
      // The picture only counts them.
      for (const warning of view.warnings) write(`warning: ${printable(warning)}\n`);
    },
  };
}

/** The lines of one picture, without colours. */
export function pictureOf(view: RunView): string[] {
  const log = view.log.slice(-5).map((line) => `  ${printable(line)}`);
  const warnings = view.warnings.length === 0 ? [] : [`${view.warnings.length} warnings`];
  return [`batch: ${view.state}`, ...view.phases.flatMap(phaseLines), ...warnings, ...log];
}

function phaseLines(phase: PhaseView): string[] {
  const { state, items, done, batches, finished, results } = phase;
  if (state === 'pending') return [`  ${phase.name}  pending`];
  const cells = items === 0 ? barCells : Math.floor((done / items) * barCells);
  const bar = `${'█'.repeat(cells)}${'░'.repeat(barCells - cells)}`;
  const cost = `${money(phase.costUsd)}${phase.maxUsd === null ? '' : ` of ${money(phase.maxUsd)}`}`;
  const why = phase.reason === null ? '' : ` (${printable(phase.reason)})`;
  const head = `  ${phase.name}  ${state}${why}  ${bar} ${done}/${items} items  ${finished}/${batches} batches  ${results} results  ${cost}`;
  const workers = [...phase.workers].sort(([left], [right]) => left - right);
  const at = workers.map(([worker, what]) => `W${worker} ${what}`).join('   ');
  return at === '' ? [head] : [head, `    ${printable(at)}`];
}

function cutTo(line: string, width: number): string {
  const characters = [...line];
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`;
}

function coloured(line: string): string {
  if (/^batch: completed|^ {2}\S+ {2}done/.test(line)) return styleText('green', line);
  if (/^batch: (failed|budget|circuit)|^ {2}\S+ {2}failed/.test(line)) return styleText('red', line);
  if (/^ {2}\S+ {2}pending/.test(line)) return styleText('dim', line);
  return line;
}
