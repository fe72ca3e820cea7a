/** One word of a shell command: its text without quotes, and where it stands in the command. */
export interface ShellWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A simple command between two operators; `after` is the operator that follows it, empty at the end. */
export interface ShellSegment {
  readonly source: string;
  readonly words: readonly ShellWord[];
  readonly after: string;
}

const operators = ['&&', '||', ';', '|', '\n'] as const;

/**
 * Splits a shell command at the operators that join commands, and each part into words. Quotes and backslashes are
 * understood; substitutions and parentheses are not followed: they stay text. Never throws.
 */
export function shellSegments(command: string): ShellSegment[] {
  const segments: ShellSegment[] = [];
  let from = 0;
  let at = 0;
  while (at < command.length) {
    const operator = operators.find((candidate) => command.startsWith(candidate, at));
    if (operator === undefined) {
      at = skipUnit(command, at);
      continue;
    }
    segments.push(segment(command.slice(from, at), operator));
    at += operator.length;
    from = at;
  }
  segments.push(segment(command.slice(from), ''));
  return segments.filter(({ words }) => words.length > 0);
}

function segment(text: string, after: string): ShellSegment {
  const source = text.trim();
  return { source, words: shellWords(source), after };
}

/** The words of one simple command. */
export function shellWords(source: string): ShellWord[] {
  const words: ShellWord[] = [];
  let at = 0;
  while (at < source.length) {
    if (isBlank(source[at])) {
      at += 1;
      continue;
    }
    const start = at;
    while (at < source.length && !isBlank(source[at])) at = skipUnit(source, at);
    words.push({ text: unquote(source.slice(start, at)), start, end: at });
  }
  return words;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}

/** The index after one character, one escaped character or one quoted text. */
function skipUnit(text: string, at: number): number {
  const character = text[at];
  if (character === '\\') return Math.min(at + 2, text.length);
  if (character !== "'" && character !== '"') return at + 1;
  let end = at + 1;
  while (end < text.length && text[end] !== character) {
    end += character === '"' && text[end] === '\\' ? 2 : 1;
  }
  return Math.min(end + 1, text.length);
}

function unquote(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gsu, (_, single, double, escaped) => {
    if (single !== undefined) return single;
    return double === undefined ? escaped : double.replace(/\\(["\\$`])/g, '$1');
  });
}

/** A text as one word that the shell takes literally. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
