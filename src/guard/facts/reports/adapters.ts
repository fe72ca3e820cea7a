import type { ReportAdapter } from './adapter.ts';
import { cargoTestAdapter } from './cargo-test.ts';
import { goTestAdapter } from './go-test.ts';
import { jestAdapter } from './jest.ts';
import { mochaAdapter } from './mocha.ts';
import { nodeTestAdapter } from './node-test.ts';
import { pytestAdapter } from './pytest.ts';
import { tapAdapter } from './tap.ts';
import { vitestAdapter } from './vitest.ts';

/** All test runners whose report we can read; the first that matches a command is taken. */
export const reportAdapters: readonly ReportAdapter[] = [
  jestAdapter,
  nodeTestAdapter,
  vitestAdapter,
  mochaAdapter,
  pytestAdapter,
  goTestAdapter,
  cargoTestAdapter,
  tapAdapter,
];
