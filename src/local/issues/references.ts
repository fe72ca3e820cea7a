import type { Actor } from '../principal.ts';
import type { Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { record } from './timeline.ts';

const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([\w.-]+\/[\w.-]+))?#(\d+)\b/gi;
const MENTION = /(?<![\w/])#(\d+)\b/g;

/** Numbers of issues of this repository that a text closes by keyword. */
export function closingNumbers(repo: Repo, text: string): number[] {
  const own = `${repo.owner.login}/${repo.name}`.toLowerCase();
  const numbers = [...text.matchAll(CLOSING)]
    .filter((match) => match[1] === undefined || match[1].toLowerCase() === own)
    .map((match) => Number(match[2]));
  return [...new Set(numbers)];
}

/** Leaves `cross-referenced` on every other issue that the text mentions, once per source. */
export function crossReference(store: Store, repo: Repo, source: Issue, actor: Actor, text: string): void {
  for (const number of new Set([...text.matchAll(MENTION)].map((match) => Number(match[1])))) {
    const target = repo.issues.get(number);
    if (!target || target === source) continue;
    if (target.timeline.some((entry) => entry.sourceNumber === source.number)) continue;
    const updatedAt = target.updatedAt;
    record(store, target, actor, 'cross-referenced', { sourceNumber: source.number });
    target.updatedAt = updatedAt;
  }
}
