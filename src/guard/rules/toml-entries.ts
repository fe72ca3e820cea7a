/**
 * Keys of a TOML file with the raw text of their values, section and key joined by NUL. Values over several lines are
 * followed by their brackets. Null when the text uses what this reader does not follow with certainty.
 */
export function tomlEntries(text: string): Map<string, string> | null {
  const entries = new Map<string, string>();
  let section = '';
  let tables = 0;
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = (lines[index] ?? '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const header = /^\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$/.exec(line);
    if (header?.[1] !== undefined) {
      section = header[1].replace(/["'\s]/g, '') + (line.startsWith('[[') ? `#${tables++}` : '');
      continue;
    }
    const pair = /^((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=\s*(.*)$/.exec(
      line,
    );
    if (pair?.[1] === undefined || /"""|'''/.test(line)) return null;
    let value = pair[2] ?? '';
    while (openBrackets(value) > 0 && index + 1 < lines.length) value += `\n${(lines[++index] ?? '').trim()}`;
    const key = `${section}\u{0}${pair[1].replace(/["'\s]/g, '')}`;
    if (entries.has(key)) return null;
    entries.set(key, value);
  }
  return entries;
}

function openBrackets(value: string): number {
  const bare = value.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '').replace(/#.*/g, '');
  return (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0);
}
