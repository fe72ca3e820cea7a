import type { FileChange } from '../model/change.ts';
import { escapeText } from '../model/escape-text.ts';
import { matchesAny } from '../model/path-pattern.ts';
import { protectionOf } from '../model/protection.ts';
import type { Draft, Judged } from './judged.ts';
import { brokenLockRules } from './lock-file.ts';
import { brokenKeyRules } from './manifest-keys.ts';

/** R0: protected paths change only where `allow` names them, and then by key; hard-protected ones never. */
export function protectedRule(judged: Judged): Draft[] {
  return judged.change.changes.flatMap((each) => judgePath(judged, each));
}

function judgePath(judged: Judged, each: FileChange): Draft[] {
  const group = protectionOf(each.path, judged.policy.guard.protected);
  if (group === null) return [];
  if (group.allow === null)
    return [closed(each.path, group.class, 'No task opens this path; a person may waive this finding.')];
  if (!matchesAny(each.path, judged.spec.allow[group.allow])) {
    const remedy = `Take this file out of the change, or have a person name it under allow.${group.allow}.`;
    return [closed(each.path, group.class, remedy)];
  }
  const broken = [
    ...brokenKeyRules(each, judged.spec.kind),
    ...(group.class === 'lockfile-tampered' ? brokenLockRules(each, judged.change) : []),
  ];
  return broken.map((reason) => ({
    rule: 'R0' as const,
    class: group.class,
    file: each.path,
    line: null,
    reason,
    remedy: 'Undo this part of the change; a person may waive this finding.',
    subject: reason,
  }));
}

function closed(path: string, word: string, remedy: string): Draft {
  return {
    rule: 'R0',
    class: word,
    file: path,
    line: null,
    reason: `${escapeText(path)} is protected (${word}).`,
    remedy,
  };
}
