import { z } from 'zod';
import type { ExecutedTest } from '../../../domain/facts.ts';
import type { ReportAdapter, ReportInput, ReportResult } from './adapter.ts';
import { executedTest } from './executed-test.ts';

const eventSchema = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  Test: z.string().optional(),
  Output: z.string().optional(),
});
type GoEvent = z.infer<typeof eventSchema>;

/** `go test`: events as JSON on standard output, which the go tool writes and not the tested process. */
export const goTestAdapter: ReportAdapter = {
  name: 'go test',
  matches: (words) => /^(?:.*\/)?go$/.test(words[0] ?? '') && words[1] === 'test',
  instrument: (segment, at) => {
    const end = segment.words[at + 1]?.end ?? segment.source.length;
    const tells = segment.words.some(({ text }) => text === '-json');
    const options = tells ? '' : ' -json';
    return {
      source: `${segment.source.slice(0, end)}${options} -count=1${segment.source.slice(end)}`,
      env: {},
    };
  },
  supportFiles: () => ({}),
  parse: parseGoTest,
};

function parseGoTest(input: ReportInput): ReportResult {
  const events = input.stdout.split('\n').flatMap(parseEvent);
  if (events.length === 0) return { kind: 'unreadable', reason: 'The go tool wrote no events.' };
  const output = outputs(events);
  const locate = locator(input);
  const tests: ExecutedTest[] = [];
  for (const event of events) {
    const status =
      event.Action === 'pass'
        ? 'passed'
        : event.Action === 'fail'
          ? 'failed'
          : event.Action === 'skip'
            ? 'skipped'
            : null;
    if (status === null || event.Package === undefined) continue;
    const text = output.get(`${event.Package}\0${event.Test ?? ''}`) ?? '';
    if (event.Test !== undefined) {
      tests.push(goTest(locate(event.Package, event.Test), event.Test, status, text));
    } else if (status === 'failed' && !tests.some(({ status: other }) => other === 'failed')) {
      // A package that fails without a failing test did not build or died.
      tests.push(
        executedTest({
          path: packageFolder(event.Package, input) || '.',
          names: [],
          status,
          failure: 'error',
          message: text,
        }),
      );
    }
  }
  return { kind: 'tests', tests };
}

function goTest(path: string, name: string, status: ExecutedTest['status'], output: string): ExecutedTest {
  const failure = /^panic: /m.test(output) ? 'error' : 'assertion';
  return executedTest({ path, names: [name], status, failure, message: output });
}

function parseEvent(line: string): GoEvent[] {
  if (!line.startsWith('{')) return [];
  try {
    const parsed = eventSchema.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}

function outputs(events: readonly GoEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { Action, Package = '', Test = '', Output = '' } of events) {
    if (Action !== 'output') continue;
    const key = `${Package}\0${Test}`;
    const text = texts.get(key) ?? '';
    if (text.length < 4000) texts.set(key, text + Output);
  }
  return texts;
}

/** Folder of a package in the tree: what its import path has beyond the module's. */
function packageFolder(name: string, { readText, folder }: ReportInput): string {
  const module = /^module\s+(\S+)/m.exec(readText(folder === '' ? 'go.mod' : `${folder}/go.mod`) ?? '')?.[1];
  const inside = module !== undefined && name.startsWith(`${module}/`) ? name.slice(module.length + 1) : '';
  return [folder, inside].filter((part) => part !== '').join('/');
}

/** Finds the file that declares a test: events name only package and function. */
function locator(input: ReportInput): (packageName: string, test: string) => string {
  const known = new Map<string, Map<string, string>>();
  return (packageName, test) => {
    const folder = packageFolder(packageName, input);
    const functions = known.get(folder) ?? declaredTests(folder, input);
    known.set(folder, functions);
    return functions.get(test.split('/')[0] ?? '') ?? (folder === '' ? '.' : folder);
  };
}

function declaredTests(folder: string, { paths, readText }: ReportInput): Map<string, string> {
  const prefix = folder === '' ? '' : `${folder}/`;
  const files = paths.filter(
    (path) =>
      path.startsWith(prefix) && path.endsWith('_test.go') && !path.slice(prefix.length).includes('/'),
  );
  const functions = new Map<string, string>();
  for (const file of files) {
    for (const match of (readText(file) ?? '').matchAll(/^func\s+((?:Test|Example|Fuzz)\w*)\s*\(/gm)) {
      functions.set(match[1] ?? '', file);
    }
  }
  return functions;
}
