import type { TaskSpec } from '../domain/spec.ts';
import type { Problem } from '../policy/problem.ts';
import type { ParsedSpec } from '../spec/parse-spec.ts';
import { codeBlock, codeCell, prose } from './escape.ts';

/** What was understood of a spec, and everything that is wrong with it, as Markdown. All of it is the author's text, escaped. */
export function echo(parsed: ParsedSpec): string {
  const understood = parsed.kind === 'valid' ? parsed.spec : parsed.partial;
  const head =
    parsed.kind === 'valid'
      ? '**The spec was understood as follows.**'
      : `**The spec cannot be used: ${count(parsed.problems.length, 'problem')}.** Nothing was started.`;
  const problems = parsed.kind === 'valid' ? [] : [bullets(parsed.problems.map(problemLine), 40)];
  const noted = parsed.notes.map((note) => `- Note: ${prose(note, 150)}`);
  const notes = noted.length === 0 ? [] : [bullets(noted, 10)];
  const intro = parsed.kind === 'valid' ? [] : ['Understood so far:'];
  return [head, ...problems, ...intro, ...understoodParts(understood), ...notes].join('\n\n');
}

function problemLine(item: Problem): string {
  const where = item.line === null ? '' : ` (line ${item.line})`;
  return `- **${item.field}**${where}: ${prose(item.message, 250)}`;
}

/** A list cut at `most` entries, with a line that says how many are left out: an echo has to fit into a comment. */
function bullets(entries: readonly string[], most: number): string {
  const left = entries.length - most;
  return [...entries.slice(0, most), ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

function understoodParts(spec: Partial<TaskSpec>): string[] {
  const rows = fieldRows(spec).map(([name, value]) => `| ${name} | ${value} |`);
  const table = ['| Field | Value |', '| --- | --- |', ...rows].join('\n');
  const objective = spec.objective === undefined ? [] : [`Objective:\n\n${codeBlock(spec.objective, 6000)}`];
  const criteria = spec.acceptanceCriteria ?? [];
  const list = bullets(
    criteria.map((criterion) => `- ${prose(criterion, 400)}`),
    20,
  );
  return [table, ...objective, ...(criteria.length === 0 ? [] : [`Acceptance criteria:\n\n${list}`])];
}

function fieldRows(spec: Partial<TaskSpec>): [string, string][] {
  const rows: [string, string | null][] = [
    ['Kind', spec.kind ?? null],
    ['Allowed paths', codes(spec.allowedPaths)],
    ['Target tests', codes(spec.targetTests)],
    ['Tests that may change', codes(spec.expectChanges)],
    ['Setup', spec.setup ? cell(spec.setup) : null],
    ['Test command', spec.testCommand ? cell(spec.testCommand) : null],
    ['Verify', codes(spec.verify)],
    ['Production lines', spec.maxProdLines === undefined ? null : `at most ${spec.maxProdLines}`],
    ['Opened by name', openedOf(spec)],
    ['Profile', spec.profiles?.join(', ') ?? null],
    ['Budget', budgetOf(spec)],
    ['Priority', spec.priority === undefined ? null : `${spec.priority} (0 first, 9 last)`],
    ['Depends on', spec.dependsOn?.map((issue) => `#${issue}`).join(', ') || null],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null && row[1] !== '');
}

function cell(text: string): string {
  return codeCell(text, 200);
}

const mostShown = 20;

function codes(entries: readonly string[] | undefined): string | null {
  if (entries === undefined || entries.length === 0) return null;
  const shown = entries.slice(0, mostShown).map(cell).join('<br>');
  return entries.length > mostShown ? `${shown}<br>and ${entries.length - mostShown} more` : shown;
}

function openedOf({ allow }: Partial<TaskSpec>): string | null {
  if (allow === undefined) return null;
  const { rename, ...lists } = allow;
  const opened = Object.entries(lists).flatMap(([key, paths]) => paths.map((path) => `${key}: ${path}`));
  return codes([...opened, ...rename.map(([from, to]) => `rename: ${from} -> ${to}`)]);
}

function budgetOf({ budget }: Partial<TaskSpec>): string | null {
  if (budget === undefined) return null;
  return `${budget.maxUsd} USD, ${budget.maxTurns} turns, ${count(budget.maxTries, 'try', 'tries')}, ${budget.wallClockMinutes} minutes`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
