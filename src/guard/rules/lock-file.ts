import type { Change, FileChange } from '../model/change.ts';
import { protectionOf } from '../model/protection.ts';

/** What is wrong with the change of a lock file that the task opened. */
export function brokenLockRules(each: FileChange, change: Change): string[] {
  const manifestMoves = change.changes.some(
    ({ path }) => protectionOf(path, [])?.class === 'dependency-swapped' && path !== each.path,
  );
  const found: string[] = [];
  if (!manifestMoves) found.push('The lock file changes, but no manifest does.');
  const base = each.base?.text ?? '';
  const head = each.head?.text ?? '';
  for (const host of hosts(head)) {
    if (!hosts(base).has(host)) found.push(`The lock file names the new origin ${host}.`);
  }
  for (const name of changedSums(base, head))
    found.push(`The checksum of ${name} changes without its version.`);
  return found;
}

function hosts(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/\b(?:https?|git|ssh|git\+\w+):\/\/([^/\s"']+)/g)].map((match) => match[1] ?? ''),
  );
}

/** Packages of which one and the same version has another checksum than before. */
function changedSums(base: string, head: string): string[] {
  const old = sums(base);
  return [...sums(head)].filter(([key, sum]) => old.has(key) && old.get(key) !== sum).map(([key]) => key);
}

function sums(text: string): Map<string, string> {
  return text.trimStart().startsWith('{') ? jsonSums(text) : lineSums(text);
}

function jsonSums(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (value: unknown, name: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { version, integrity, resolved, dist } = value as Record<string, unknown>;
    if (typeof version === 'string' && (integrity ?? resolved ?? dist) !== undefined) {
      found.set(`${name}@${version}`, JSON.stringify([integrity, resolved, dist]));
    }
    for (const [key, member] of Object.entries(value)) visit(member, key);
  };
  try {
    visit(JSON.parse(text), '');
  } catch {
    return lineSums(text);
  }
  return found;
}

/** `module version h1:sum` lines of go.sum, and name, version, checksum lines that follow each other in others. */
function lineSums(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let name = '';
  let version = '';
  for (const line of text.split('\n')) {
    const go = /^(\S+) (v\S+) (h1:\S+)$/.exec(line);
    if (go) found.set(`${go[1]}@${go[2]}`, go[3] ?? '');
    const block = /^"?((?:@[\w.-]+\/)?[\w.-]+)@.*:$/.exec(line);
    if (block) name = block[1] ?? '';
    const pair =
      /^\s*(name|version|checksum|integrity|resolved|hash|sha256|source)"?[ =:]+"?([^"]+)"?,?$/.exec(line);
    if (pair?.[1] === 'name') name = pair[2] ?? '';
    else if (pair?.[1] === 'version') version = pair[2] ?? '';
    else if (pair !== null) found.set(`${name}@${version} ${pair[1]}`, pair[2] ?? '');
  }
  return found;
}
