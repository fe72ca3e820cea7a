import { join } from 'node:path';
import { type Oid, oidSchema } from '../../domain/ids.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import { git, gitText } from '../../git/run-git.ts';
import { scaffoldFiles } from '../scaffold-files.ts';
import { person } from './person.ts';

const gatePath = '.github/workflows/ccd-gate.yml';

/** Set-up and test command of the gate that is made where the repository has no policy of its own. */
export type Gate = Pick<TaskSpec, 'setup' | 'testCommand'>;

/**
 * Puts the files that ccd needs on top of a copy's `main` as one more commit, without a work tree: no filter and no line-end change
 * of the repository takes part. With a gate, a policy and a workflow that run its commands are made; without, those of the
 * repository count. Files of people stay as they are, the two workflows of ccd are those of this version.
 */
export async function addTrunkFiles(
  gitDir: string,
  standing: ReadonlySet<string>,
  gate: Gate | null,
): Promise<Oid> {
  const files = new Map(scaffoldFiles());
  if (gate !== null) {
    files.set('.github/ccd.yml', json(policyOf(gate)));
    files.set(gatePath, json(workflowOf(gate)));
  }
  for (const path of files.keys())
    if (standing.has(path) && !path.startsWith('.github/workflows/ccd-')) files.delete(path);
  const environment = { GIT_INDEX_FILE: join(gitDir, 'trunk.index'), ...person };
  const text = (args: string[], input?: string) =>
    gitText({ gitDir, args, environment, ...(input === undefined ? {} : { input }) });
  await text(['read-tree', 'refs/heads/main']);
  for (const [path, content] of files) {
    const blob = await text(['hash-object', '-w', '--stdin'], content);
    await git({
      gitDir,
      environment,
      args: ['update-index', '-z', '--index-info'],
      input: `100644 ${blob}\t${path}\0`,
    });
  }
  const tree = await text(['write-tree']);
  const commit = await text(['commit-tree', tree, '-p', 'refs/heads/main', '-m', 'Files of ccd']);
  await text(['update-ref', 'refs/heads/main', commit]);
  return oidSchema.parse(commit);
}

function json(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function policyOf({ setup, testCommand }: Gate) {
  return {
    version: 1,
    required_checks: [{ name: 'ccd-gate', workflow: gatePath }],
    task: { test_command: testCommand, ...(setup === null ? {} : { setup }) },
  };
}

function workflowOf({ setup, testCommand }: Gate) {
  const commands = [setup, testCommand].filter((command) => command !== null);
  return {
    name: 'ccd-gate',
    on: { push: { branches: ['ccd/queue/**'] } },
    permissions: { contents: 'read' },
    jobs: {
      'ccd-gate': {
        'runs-on': 'ubuntu-latest',
        steps: [{ uses: 'actions/checkout@v4' }, ...commands.map((run) => ({ run }))],
      },
    },
  };
}
