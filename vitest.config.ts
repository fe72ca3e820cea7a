import { defineConfig } from 'vitest/config';

const inline = { deps: { inline: [/@actions\/workflow-parser/, /@actions\/expressions/] } };

const project = (name: string, include: string[], timeout: number, fileParallelism = true) => ({
  test: { name, include, testTimeout: timeout, hookTimeout: timeout, fileParallelism, server: inline },
});

/** `unit` is quick and pure or file-bound; `scenario` drives the whole machine; `claude` needs the real CLI. */
export default defineConfig({
  test: {
    projects: [
      project('unit', ['test/{unit,property,contract,arch}/**/*.test.ts'], 60_000),
      project('scenario', ['test/scenario/**/*.test.ts'], 240_000, false),
      project('claude', ['test/claude/**/*.test.ts'], 600_000, false),
    ],
  },
});
