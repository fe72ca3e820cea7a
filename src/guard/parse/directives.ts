import type { Language } from './languages.ts';

const anywhere: readonly RegExp[] = [
  /@ts-(nocheck|ignore|expect-error|check)\b/,
  /\b(eslint|biome|tslint|oxlint|prettier|deno-lint|jshint|jscs|stylelint|standard)-(disable|enable|ignore|env)/,
  /\bbiome-ignore\b/,
  /\b(istanbul|c8|v8|coverage|codecov)[: ]+(ignore|disable)/i,
  /\bpragma:? *no *cover/i,
  /@(jest|vitest)-environment/,
  /\b(jest|vitest|mocha|ava|karma)-?config/i,
  /(^|\s)#\s*(type:\s*ignore|noqa|pyright:|mypy:|pylint:|pytest:|ruff:|isort:|fmt:|nosec|doctest:)/i,
  /\bdoctest:/,
  /^\/\/(go:|line |export |nolint|lint:|revive:|\s*\+build)/,
  /\bnolint\b/,
  /coding[:=]\s*[-\w.]+/,
  /^#\s*(frozen_string_literal|warn_indent|shareable_constant_value|typed|encoding):/i,
  /rubocop:|reek:|simplecov|:nocov:/i,
  /\bNOSONAR\b|\bCHECKSTYLE\b|\bnoinspection\b|@formatter:/,
  /@(phpstan|psalm|codeCoverageIgnore|phpcs)/,
  /\bphpcs:/,
  /^\/\*[*!]?\s*(global|globals|exported)\b/,
  /<reference\s/,
  /#(region|pragma)\b/,
];

/** Docblock annotations that a PHP runner obeys. */
const php =
  /@(dataProvider|testWith|test|group|depends|requires|doesNotPerformAssertions|before|after|beforeClass|afterClass|preserveGlobalState|runInSeparateProcess|runTestsInSeparateProcesses|backupGlobals|backupStaticAttributes|covers\w*|uses|large|medium|small|ticket|testdox|author)\b/;

/** Whether a comment is obeyed by a tool, so that it counts as code. */
export function isDirective(language: Language, comment: string): boolean {
  if (language === 'php' && php.test(comment)) return true;
  return anywhere.some((pattern) => pattern.test(comment));
}
