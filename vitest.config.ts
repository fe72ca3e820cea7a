import { defineConfig } from 'vitest/config';

const inline = { deps: { inline: [/@actions\/workflow-parser/, /@actions\/expressions/] } };

/** `unit` is quick and pure or file-bound; `scenario` drives the whole machine; `claude` needs the real CLI. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{unit,property,contract,arch}/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          server: inline,
        },
      },
      {
        test: {
          name: 'scenario',
          include: ['test/scenario/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          server: inline,
        },
      },
      {
        test: {
          name: 'claude',
          include: ['test/claude/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          server: inline,
        },
      },
    ],
  },
});
