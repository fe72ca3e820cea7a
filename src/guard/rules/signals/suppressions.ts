import { isComment, type ParsedFile, textOf, walk } from '../../parse/syntax.ts';
import { type Signal, signal } from './signal.ts';

/** Checks switched off for a file or without saying which; one line with one named check is reported by linters, not here. */
const comments: readonly RegExp[] = [
  /@ts-nocheck\b/,
  /@ts-(ignore|expect-error)\s*(\*\/)?$/,
  /^\/\*\s*eslint-disable(?!-next-line|-line)/,
  /eslint-disable-(next-line|line)\s*(\*\/)?$/,
  /biome-ignore-(all|start)\b|oxlint-disable\s*$|tslint:disable(?!-next-line)|deno-lint-ignore-file|jshint ignore:start/,
  /#\s*type:\s*ignore\s*$|#\s*mypy:\s*ignore-errors|#\s*pyright:\s*(basic|ignore|strict=false)|#\s*noqa\s*$|#\s*flake8:\s*noqa|#\s*ruff:\s*noqa|#\s*pylint:\s*(skip-file|disable=(all|W|E|C|R)\b)/,
  /pragma:?\s*no\s*(cover|mutate)|\b(istanbul|c8|v8)\s+ignore|:nocov:|codeCoverageIgnore|Stryker disable|coverage:\s*ignore|ExcludeFromCodeCoverage|LCOV_EXCL|NOSONAR|#\s*nosec\s*$|nolint\s*$|nolint:all|CHECKSTYLE:OFF|rubocop:disable\s+(all|Lint)\b|@phpstan-ignore-(file|line|next-line)\s*(\*\/)?$|@psalm-suppress\s+all|phpcs:(ignoreFile|disable)\s*$|noinspection ALL/,
];

/** Code that switches checks of compilers, linters and coverage off. */
export function suppressionSignals(file: ParsedFile): Signal[] {
  const found: Signal[] = [];
  for (const node of walk(file.root)) {
    const text =
      isComment(node) || /attribute|annotation|pragma|preproc/.test(node.type)
        ? textOf(file, node).trim()
        : '';
    if (text === '') continue;
    const comment = isComment(node) && comments.some((pattern) => pattern.test(text));
    const pragma =
      /preproc_pragma|pragma/.test(node.type) && /^#\s*pragma\s+warning\s+disable\b(?!\s+\w)/.test(text);
    const nullable = /preproc_nullable/.test(node.type) && /disable/.test(text);
    const attribute =
      /^#!?\[\s*allow\s*\(\s*(warnings|clippy::all|unused|dead_code\s*,|unused_must_use|unreachable_code|unconditional)/.test(
        text,
      ) ||
      /^@SuppressWarnings\s*\(\s*[{"]*\s*"?all/.test(text) ||
      /ExcludeFromCodeCoverage/.test(text);
    if (comment || pragma || nullable || (attribute && node.named))
      found.push(signal(file, 'static-check-suppressed', node, 'switches checks off'));
  }
  return found;
}
