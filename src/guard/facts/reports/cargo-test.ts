import type { ExecutedTest } from '../../../domain/facts.ts';
import type { ReportAdapter, ReportInput, ReportResult } from './adapter.ts';
import { executedTest } from './executed-test.ts';

const outcomes: Readonly<Record<string, ExecutedTest['status']>> = {
  ok: 'passed',
  FAILED: 'failed',
  ignored: 'skipped',
};

/** `cargo test`: stable Rust has no structured report, so the lines of its harness are read, with cargo's headings. */
export const cargoTestAdapter: ReportAdapter = {
  name: 'cargo test',
  matches: (words) => /^(?:.*\/)?cargo$/.test(words[0] ?? '') && words[1] === 'test',
  instrument: (segment, at) => {
    const end = segment.words[at + 1]?.end ?? segment.source.length;
    const tells = segment.words.some(({ text }) => text === '--no-fail-fast');
    // Headings go to standard error and results to standard output: only together do they tell which file a test is in.
    const source = `${segment.source.slice(0, end)}${tells ? '' : ' --no-fail-fast'}${segment.source.slice(end)} 2>&1`;
    return { source, env: { CARGO_TERM_COLOR: 'never', RUST_BACKTRACE: '0' } };
  },
  supportFiles: () => ({}),
  parse: parseCargoTest,
};

function parseCargoTest({ stdout }: ReportInput): ReportResult {
  const lines = stdout.split(/\r?\n/);
  const tests: ExecutedTest[] = [];
  const panics = panicsOf(stdout);
  let path: string | null = null;
  let promised = 0;
  for (const line of lines) {
    const heading = /^\s+Running (?:unittests )?(\S+) \(/.exec(line);
    if (heading !== null) path = heading[1] ?? null;
    if (/^\s+Doc-tests /.test(line)) path = '(doc)';
    promised += Number(/^running (\d{1,6}) tests?$/.exec(line)?.[1] ?? 0);
    const result = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, .*)?$/.exec(line);
    if (result === null || path === null) continue;
    const name = (result[1] ?? '').trim();
    const message = panics.get(name) ?? '';
    tests.push(
      executedTest({
        path,
        names: [name],
        status: outcomes[result[2] ?? ''] ?? 'aborted',
        failure: failureIn(message),
        message,
      }),
    );
  }
  if (path === null)
    return { kind: 'unreadable', reason: 'Nothing was built, or cargo ran no test program.' };
  if (tests.length !== promised) {
    return {
      kind: 'unreadable',
      reason: `The test programs announced ${promised} tests, ${tests.length} were reported.`,
    };
  }
  return { kind: 'tests', tests };
}

function panicsOf(stdout: string): Map<string, string> {
  const panics = new Map<string, string>();
  for (const match of stdout.matchAll(
    /^---- (\S+) stdout ----\n([\s\S]*?)(?=\n---- |\n\nfailures:|$(?![\s\S]))/gm,
  )) {
    panics.set(match[1] ?? '', (match[2] ?? '').slice(0, 2000));
  }
  return panics;
}

/** Assertions of Rust are panics too: they differ by their words. */
function failureIn(message: string): 'assertion' | 'error' | 'unknown' {
  if (message === '') return 'unknown';
  return /assertion |test did not panic|panic did not contain expected/.test(message) ? 'assertion' : 'error';
}
