/** One `::name key=value::message` line of a step's output. */
export interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

const LINE = /^\s*::([A-Za-z][\w-]*)(?:\s+(.*?))?::(.*)$/s;

function unescapeMessage(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function unescapeProperty(text: string): string {
  return unescapeMessage(text.replaceAll('%3A', ':').replaceAll('%2C', ','));
}

function readProperty(part: string): [string, string] | null {
  const at = part.indexOf('=');
  return at <= 0 ? null : [part.slice(0, at).trim(), unescapeProperty(part.slice(at + 1))];
}

/** Reads a line of output as a workflow command, or null when it is plain text. */
export function parseWorkflowCommand(line: string): WorkflowCommand | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const pairs = (match[2] ?? '').split(',').map(readProperty);
  const properties = Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair !== null));
  return { name: match[1]!.toLowerCase(), properties, message: unescapeMessage(match[3] ?? '') };
}
