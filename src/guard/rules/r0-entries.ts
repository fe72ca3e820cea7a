import type { FileChange } from '../model/change.ts';
import { escapeText } from '../model/escape-text.ts';
import { matchesAny } from '../model/path-pattern.ts';
import type { Draft, Judged } from './judged.ts';

/** R0: kinds of entries that cannot be judged by their text: links, submodules, modes, binaries. */
export function entryRule(judged: Judged): Draft[] {
  const unreadable = judged.change.unreadable.map(({ path, why }) =>
    refuse('unreadable', null, `${path}: ${why}.`, 'Take this path out of the change.', path),
  );
  return [...unreadable, ...judged.change.changes.flatMap((each) => judgeEntry(judged, each))];
}

function judgeEntry(judged: Judged, each: FileChange): Draft[] {
  const modes = [each.base?.mode, each.head?.mode];
  const { allow } = judged.spec;
  if (modes.includes('160000')) return matchesAny(each.path, allow.submodule) ? [] : [ask(each, 'submodule')];
  if (modes.includes('120000')) return judgeLink(judged, each);
  const found: Draft[] = [];
  if (changesMode(each) && !matchesAny(each.path, allow.mode)) found.push(ask(each, 'mode'));
  const binary = each.head !== null ? each.head.text === null : each.base?.text === null;
  if ((binary || flips(each)) && !matchesAny(each.path, allow.binary)) found.push(ask(each, 'binary'));
  return found;
}

/** The executable bit of a file changes, or comes with a new file that no script's first line explains. */
function changesMode({ base, head }: FileChange): boolean {
  if (head === null) return false;
  if (base !== null) return base.mode !== head.mode;
  return head.mode === '100755' && !(head.text?.startsWith('#!') ?? false);
}

function flips({ base, head }: FileChange): boolean {
  return base !== null && head !== null && (base.text === null) !== (head.text === null);
}

function judgeLink(judged: Judged, each: FileChange): Draft[] {
  if (!matchesAny(each.path, judged.spec.allow.symlink)) return [ask(each, 'symlink')];
  if (each.head?.mode !== '120000') return [];
  const target = resolveLink(each.path, each.head.text ?? '');
  const role = target === null ? null : judged.roleOf(target);
  if (role === 'docs' || role === 'production') return [];
  const reason = `The link ${escapeText(each.path)} leads out of the tree or to a protected or test path.`;
  return [refuse('symlink', each.path, reason, 'Let the link point to a production or documentation file.')];
}

/** Path inside the tree that a link leads to; null when it leads out. */
function resolveLink(path: string, target: string): string | null {
  if (target === '' || target.startsWith('/') || target.includes('\\') || target.includes('\n')) return null;
  const parts = path.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

const words = {
  submodule: 'is a submodule, and what it points to is not in the change',
  symlink: 'is or was a symbolic link',
  mode: 'changes its file mode',
  binary: 'is no UTF-8 text and cannot be read',
} as const;

const classes = {
  submodule: 'submodule',
  symlink: 'symlink',
  mode: 'mode',
  binary: 'encoding-or-binary-flip',
} as const;

function ask(each: FileChange, what: keyof typeof words): Draft {
  const remedy = `Take this path out of the change, or have a person name it under allow.${what}.`;
  return refuse(classes[what], each.path, `${escapeText(each.path)} ${words[what]}.`, remedy);
}

function refuse(word: string, file: string | null, reason: string, remedy: string, subject?: string): Draft {
  return {
    rule: 'R0',
    class: word,
    file,
    line: null,
    reason,
    remedy,
    ...(subject === undefined ? {} : { subject }),
  };
}
