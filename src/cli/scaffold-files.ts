import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project-root.ts';

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

/** What a person puts on trunk before `ccd init`, by path. Their own CI must also run on pushes to `ccd/queue/**`. */
export function scaffoldFiles(): (readonly [path: string, text: string])[] {
  return [
    ['.github/ccd.yml', policy],
    ...shipped.map((path) => [path, readFileSync(join(projectRoot, path), 'utf8')] as const),
  ];
}
