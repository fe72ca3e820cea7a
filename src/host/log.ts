export type LogFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/**
 * A log of JSON lines, each cleaned before it is written. One line per message whatever the text holds: nothing in it can
 * be read as a second line or a workflow command.
 */
export function createLog(
  write: (line: string) => void,
  now: () => number,
  clean: (text: string) => string,
): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      const line = JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields });
      write(`${withoutCommands(clean(line))}\n`);
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * A runner obeys `::name::` at the start of a line, which here is always a brace, and the older `##[name]` anywhere in it.
 * In JSON these characters stand in texts alone, where an escape means the same.
 */
function withoutCommands(line: string): string {
  return line.replaceAll('##[', '#\\u0023[');
}
