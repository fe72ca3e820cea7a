import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project-root.ts';
import { usage } from './usage.ts';

const policy = `# Policy of ccd for this repository; see docs/policy.md. Read from trunk only.
version: 1
required_checks:
  # The check that your own CI reports on pushes to ccd/queue/**, and the workflow that makes it.
  - name: test
    workflow: .github/workflows/ci.yml
task:
  test_command: npm test
`;

const shipped = [
  '.github/workflows/ccd-worker.yml',
  '.github/workflows/ccd-guard.yml',
  '.github/ISSUE_TEMPLATE/ccd-task.yml',
] as const;

/** The action as the shipped workflows name it. */
const shippedAction = 'ccd-dev/ccd@v1';

/**
 * What a person puts on trunk before `ccd init`, by path. Their own CI must also run on pushes to `ccd/queue/**`. `action` stands in the
 * workflows in place of the shipped `owner/name@ref`. Throws `cli.usage` when it is none.
 */
export function scaffoldFiles(action: string = shippedAction): (readonly [path: string, text: string])[] {
  if (!/^[\w.-]{1,100}\/[\w.-]{1,100}@[\w./-]{1,200}$/.test(action)) {
    throw usage(`${JSON.stringify(action)} is no action.`, 'Write owner/name@commit.');
  }
  const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
  return [
    ['.github/ccd.yml', policy],
    ...shipped.map((path) => [path, read(path).replaceAll(shippedAction, action)] as const),
  ];
}
