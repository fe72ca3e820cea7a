/** A line of a job's log, or a group of them that can be folded. */
export type LogPart =
  | { readonly kind: 'line'; readonly number: number; readonly text: string; readonly tone: string | null }
  | {
      readonly kind: 'group';
      readonly title: string;
      readonly lines: readonly Extract<LogPart, { kind: 'line' }>[];
    };

type Line = Extract<LogPart, { kind: 'line' }>;

const TIME = /^\d{4}-\d\d-\d\dT\S+ /;
const COMMAND = /^##\[(group|endgroup|error|warning|notice|debug|command|section)\](.*)$/s;

/** Takes the time stamps off and folds `##[group]` … `##[endgroup]`. A group that is not closed ends with the log. */
export function foldLog(log: readonly string[]): LogPart[] {
  const parts: LogPart[] = [];
  let group: { readonly title: string; readonly lines: Line[] } | null = null;
  const close = (): void => {
    if (group !== null) parts.push({ kind: 'group', ...group });
    group = null;
  };
  for (const [index, raw] of log.entries()) {
    const text = raw.replace(TIME, '');
    const [, command, rest = ''] = COMMAND.exec(text) ?? [];
    if (command === 'group') {
      close();
      group = { title: rest, lines: [] };
    } else if (command === 'endgroup') close();
    else {
      const known =
        command === 'error' || command === 'warning' || command === 'notice' || command === 'debug';
      const line: Line = {
        kind: 'line',
        number: index + 1,
        text: command === undefined ? text : rest,
        tone: known ? command : null,
      };
      if (group === null) parts.push(line);
      else group.lines.push(line);
    }
  }
  close();
  return parts;
}
