import { shellQuote } from '../shell-words.ts';
import type { ReportAdapter, ReportInput } from './adapter.ts';
import { pathInTree } from './executed-test.ts';
import { type JunitCase, parseJunit } from './junit-xml.ts';

export const pytestAdapter: ReportAdapter = {
  name: 'pytest',
  matches: (words) => {
    const program = (words[0] ?? '').replace(/^.*\//, '');
    if (program === 'pytest' || program === 'py.test') return true;
    return /^python[\d.]*$/.test(program) && words[1] === '-m' && words[2] === 'pytest';
  },
  // By environment, so that options in the command and in the configuration keep their place.
  instrument: (segment, _at, { reportFile }) => ({
    source: segment.source,
    env: {
      PYTEST_ADDOPTS: `-p no:cacheprovider -o junit_family=xunit1 --junitxml=${shellQuote(reportFile)}`,
    },
  }),
  supportFiles: () => ({}),
  parse: (input) => parseJunit(input.report, (test) => nodeId(test, input)),
};

/** Path and name as pytest's own node ids have them: `path::Class::name[parameters]`. */
function nodeId(test: JunitCase, { root, folder }: ReportInput): { path: string; names: string[] } {
  if (test.file === null) return { path: '(collection)', names: [`${test.className}.${test.name}`] };
  const path = pathInTree(test.file, root, folder) ?? '(outside)';
  const module = test.file.replace(/\.py$/, '').replaceAll('/', '.');
  const classes = test.className.startsWith(`${module}.`)
    ? test.className.slice(module.length + 1).split('.')
    : [];
  return { path, names: [[...classes, test.name].join('::')] };
}
