import type { Nodes } from 'mdast';
import { type MarkdownText, spanOf, walk } from './markdown.ts';

/** One mention of another issue. `foreign` mentions name another repository. */
export type IssueReference = { kind: 'own'; issue: number } | { kind: 'foreign'; text: string };

export interface DependencyMention {
  readonly reference: IssueReference;
  readonly line: number;
}

const referencePattern = String.raw`(?:https?:\/\/[^\s,)>]+\/(?:issues|pull)\/\d+(?:[#?][^\s,)>]*)?|[\w.-]+\/[\w.-]+#\d+|#\d+)`;
const dependsOn = new RegExp(
  String.raw`\bdepends\s+on:?\s+(${referencePattern}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s+)${referencePattern})*)`,
  'gi',
);
const wholeLine = new RegExp(
  String.raw`^\s*depends\s+on:?\s+${referencePattern}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s+)${referencePattern})*\s*\.?\s*$`,
  'i',
);
const oneReference = new RegExp(referencePattern, 'g');

/**
 * Reads `#9`, `owner/name#9` or the address of an issue. With `repository` (`owner/name`) given, other repositories are
 * told apart; without it, only `#9` is certain to be an own issue. Null when the text is no reference.
 */
export function readIssueReference(text: string, repository: string | null): IssueReference | null {
  const short = /^#?(\d{1,10})$/.exec(text);
  if (short !== null) return ownIssue(short[1] ?? '', text);
  const long =
    /^https?:\/\/[^/\s]+\/([^/\s]+\/[^/\s]+)\/(?:issues|pull)\/(\d{1,10})(?:[#?]\S*)?$/.exec(text) ??
    /^([\w.-]+\/[\w.-]+)#(\d{1,10})$/.exec(text);
  if (long === null) return null;
  const isOwn = repository !== null && long[1]?.toLowerCase() === repository.toLowerCase();
  return isOwn ? ownIssue(long[2] ?? '', text) : { kind: 'foreign', text };
}

/** True for a text that says nothing but `Depends on #9`, so that such a line below the last field is no part of that field. */
export function saysOnlyDependencies(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => wholeLine.test(line));
}

function ownIssue(digits: string, text: string): IssueReference | null {
  const issue = Number(digits);
  if (issue === 0) return null;
  return issue <= 2_147_483_647 ? { kind: 'own', issue } : { kind: 'foreign', text };
}

/** All `Depends on #9, #10` in running text. Code, comments and struck-out text are not running text. */
export function findDependencies(text: MarkdownText, repository: string | null): DependencyMention[] {
  const mentions: DependencyMention[] = [];
  for (const node of walk(text.root)) {
    if (node.type !== 'paragraph' && node.type !== 'heading' && node.type !== 'tableCell') continue;
    const running = runningText(node);
    for (const match of running.matchAll(dependsOn)) {
      const line = spanOf(node).line + (running.slice(0, match.index).match(/\n/g)?.length ?? 0);
      for (const [reference] of (match[1] ?? '').matchAll(oneReference)) {
        const read = readIssueReference(reference, repository);
        if (read !== null) mentions.push({ reference: read, line });
      }
    }
  }
  return mentions;
}

function runningText(start: Nodes): string {
  if (start.type === 'text') return start.value;
  if (start.type === 'break') return '\n';
  if (start.type === 'inlineCode' || start.type === 'html' || start.type === 'delete') return '\u0000';
  if (start.type === 'link') return linkText(start.url, start.children.map(runningText).join(''));
  return 'children' in start ? start.children.map(runningText).join('') : '\u0000';
}

/** `[#9](address)` and a bare address both count as the address, because that is where the reader gets to. */
function linkText(url: string, shown: string): string {
  return /^#\d+$/.test(shown.trim()) || shown.trim() === url ? url : shown;
}
