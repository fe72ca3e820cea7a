import { CcdError } from '../../domain/errors.ts';
import { HOSTED_LABELS } from '../../local/actions/runner/config.ts';
import { resolveAction } from '../../local/actions/runner/resolve-action.ts';
import { eventMatches } from '../../local/actions/trigger/event-matches.ts';
import { readWorkflow, type Workflow } from '../../local/actions/workflow/parse-workflow.ts';
import type { Triggers } from '../../local/actions/workflow/triggers.ts';

/** Branches that move while a task is at work: trunk and those of the app. */
const moved = ['main', 'ccd/queue/1', 'ccd/task/2', 'ccd/attempt/2.1', 'ccd/state', 'ccd/run', 'ccd/facts'];

/**
 * Holds the workflows of a repository against what the local runner can do. Those that nothing in the demonstration starts do not
 * matter. Throws `demo.workflow` with every file that does and that it does not understand, and what in it.
 */
export async function refuseForeignWorkflows(files: ReadonlyMap<string, string>): Promise<void> {
  const problems: string[] = [];
  for (const [path, text] of files) problems.push(...(await problemsOf(path, text)));
  if (problems.length === 0) return;
  throw new CcdError({
    code: 'demo.workflow',
    message: `The local runner does not understand a workflow of this repository: ${problems.join('; ')}.`,
    remedy: 'Commit a version that it understands, or one without these files, on a branch and run it there.',
    audience: 'operator',
  });
}

async function problemsOf(path: string, text: string): Promise<string[]> {
  const reading = await readWorkflow(path, text);
  if (reading.kind === 'invalid') return reading.problems.map((problem) => onOneLine(path, problem));
  const triggers = reading.kind === 'parsed' ? reading.workflow.triggers : reading.triggers;
  if (!(await mayStart(triggers))) return [];
  return reading.kind === 'unsupported' ? [...reading.problems] : partsOf(reading.workflow);
}

/** Path filters are not asked: nobody knows yet which paths will change. */
async function mayStart({ push, pull_request: pull, unserved }: Triggers): Promise<boolean> {
  if (
    pull !== undefined &&
    (await eventMatches(
      { unserved, pull_request: { ...pull, paths: undefined, 'paths-ignore': undefined, types: ['any'] } },
      { kind: 'pull_request', action: 'any', baseBranch: 'main', paths: async () => [] },
    ))
  )
    return true;
  if (push === undefined) return false;
  for (const branch of moved) {
    const filter = { ...push, paths: undefined, 'paths-ignore': undefined };
    const fact = { kind: 'push', ref: `refs/heads/${branch}`, paths: async () => [] } as const;
    if (await eventMatches({ unserved, push: filter }, fact)) return true;
  }
  return false;
}

/** Actions and machines that are named outright. What an expression gives is seen when the job runs. */
async function partsOf({ path, body }: Workflow): Promise<string[]> {
  const problems: string[] = [];
  for (const [key, job] of Object.entries(body.jobs)) {
    for (const label of labelsOf(job['runs-on']))
      if (!HOSTED_LABELS.includes(label.toLowerCase()))
        problems.push(`${path}: job ${key}: runs-on ${label}`);
    for (const { uses } of job.steps) {
      if (uses === undefined) continue;
      const found = await resolveAction(uses, {});
      if (found.kind === 'refused') problems.push(`${path}: job ${key}: ${found.problem}`);
    }
  }
  return problems;
}

/** The parser's words may hold a picture of the place, and mostly begin with the path. */
function onOneLine(path: string, problem: string): string {
  const text = problem.split('\n')[0]!.trim();
  return text.startsWith(path) ? text : `${path}: ${text}`;
}

function labelsOf(runsOn: unknown): string[] {
  return [runsOn]
    .flat()
    .filter((label): label is string => typeof label === 'string' && !label.includes('${{'));
}
