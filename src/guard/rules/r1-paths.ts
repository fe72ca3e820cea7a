import { escapeText } from '../model/escape-text.ts';
import { matchesAny } from '../model/path-pattern.ts';
import type { Draft, Judged } from './judged.ts';

/** R1: every changed path is named by the task; an empty list names nothing. Tasks of some kinds keep off production code. */
export function pathRule(judged: Judged): Draft[] {
  const { change, spec } = judged;
  if (change.changes.length === 0 && change.unreadable.length === 0) return [nothingChanged()];
  const outside = change.changes.filter(({ path }) => !matchesAny(path, spec.allowedPaths));
  return [...outside.map(({ path }) => outOfScope(path)), ...againstKind(judged)];
}

function nothingChanged(): Draft {
  return {
    rule: 'R1',
    class: 'empty-change',
    file: null,
    line: null,
    reason: 'Base and head hold the same files: there is nothing to judge.',
    remedy: 'Make the change that the task asks for.',
  };
}

function outOfScope(path: string): Draft {
  return {
    rule: 'R1',
    class: 'out-of-scope',
    file: path,
    line: null,
    reason: `${escapeText(path)} is not among the paths that the task allows.`,
    remedy: 'Take this file out of the change, or have the task name it under allowed paths.',
  };
}

function againstKind(judged: Judged): Draft[] {
  const { kind } = judged.spec;
  if (kind !== 'tests-only' && kind !== 'docs') return [];
  const free: readonly string[] = kind === 'docs' ? ['docs'] : ['test', 'test-data', 'docs'];
  return judged.change.changes
    .filter(({ path }) => !free.includes(judged.roleOf(path)) && judged.roleOf(path) === 'production')
    .map(({ path }) => ({
      rule: 'R1' as const,
      class: 'out-of-kind',
      file: path,
      line: null,
      reason: `A task of kind ${kind} does not change ${escapeText(path)}.`,
      remedy: 'Take this file out of the change, or give the task another kind.',
    }));
}
