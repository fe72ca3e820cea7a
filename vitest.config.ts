import { defineConfig } from 'vitest/config';

const inline = { deps: { inline: [/@actions\/workflow-parser/, /@actions\/expressions/] } };

const project = (name: string, include: string[], timeout: number, more: object = {}) => ({
  test: { name, include, testTimeout: timeout, hookTimeout: timeout, server: inline, ...more },
});

/** Tests that start many real processes each: every file in a process of its own. */
const processes = [
  'test/unit/facts/**/*.test.ts',
  'test/unit/demo-project/**/*.test.ts',
  'test/unit/worker/{attempt,hostile-agent,hostile-attempt,model-limits}.test.ts',
  'test/unit/worker/batch/runs.test.ts',
  'test/unit/local/actions/**/*.test.ts',
  'test/unit/local/faults/runs.test.ts',
  'test/unit/git/import-bundle.test.ts',
];

/** Tests that put nock in the place of the network of the whole process. */
const intercepted = [
  'test/unit/github/{auth,client}.test.ts',
  'test/unit/github/apply/odd-answers.test.ts',
  'test/unit/github/observe/download-artifact.test.ts',
];

/**
 * `unit` is quick and pure or file-bound; `processes` starts many real processes; `scenario` drives the whole machine;
 * `browser` needs a Chromium; `claude` needs the real CLI.
 */
export default defineConfig({
  test: {
    // Much of each scenario is waiting: three at a time fill two cores.
    maxWorkers: 3,
    projects: [
      project('unit', ['test/{unit,property,contract,arch}/**/*.test.ts'], 60_000, {
        exclude: [...processes, ...intercepted],
        // One process runs many files: loading the modules for each of them took longer than the tests.
        isolate: false,
      }),
      project('intercepted', intercepted, 60_000),
      // What GitHub does, shown on every GitHub at hand.
      project('behaviour', ['test/behaviour/**/*.test.ts'], 60_000, { isolate: false }),
      project('processes', processes, 120_000),
      project('scenario', ['test/scenario/**/*.test.ts'], 400_000),
      project('browser', ['test/browser/**/*.test.ts'], 60_000),
      project('claude', ['test/claude/**/*.test.ts'], 600_000, { fileParallelism: false }),
    ],
  },
});
