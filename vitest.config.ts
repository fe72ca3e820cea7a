import { defineConfig } from 'vitest/config';

const inline = { deps: { inline: [/@actions\/workflow-parser/, /@actions\/expressions/] } };

const project = (name: string, include: string[], timeout: number, more: object = {}) => ({
  test: { name, include, testTimeout: timeout, hookTimeout: timeout, server: inline, ...more },
});

/** Tests that run many real processes each: minutes together. `npm run test:slow` runs them; every other command leaves them out. */
const slow = [
  'test/unit/facts/**/*.test.ts',
  'test/unit/demo-project/**/*.test.ts',
  'test/unit/worker/{attempt,hostile-agent}.test.ts',
  'test/unit/local/actions/**/*.test.ts',
  'test/unit/git/import-bundle.test.ts',
  'test/property/supervisor-long.test.ts',
  'test/scenario/{killed-anywhere-ends-the-same,webhooks-are-only-hints}.test.ts',
];

/** `unit` is quick and pure or file-bound; `scenario` drives the whole machine; `claude` needs the real CLI. */
export default defineConfig({
  test: {
    projects: [
      project('unit', ['test/{unit,property,contract,arch}/**/*.test.ts'], 60_000, { exclude: slow }),
      project('scenario', ['test/scenario/**/*.test.ts'], 300_000, { exclude: slow, fileParallelism: false }),
      project('slow', slow, 600_000, { fileParallelism: false }),
      project('claude', ['test/claude/**/*.test.ts'], 600_000, { fileParallelism: false }),
    ],
  },
});
