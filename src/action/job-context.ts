import { z } from 'zod';
import { CcdError } from '../domain/errors.ts';
import type { RepoName } from '../github/repo-name.ts';

const contextSchema = z.object({
  GITHUB_SERVER_URL: z.url(),
  GITHUB_API_URL: z.url(),
  GITHUB_REPOSITORY: z.string().regex(/^[^/\s]+\/[^/\s]+$/),
  GITHUB_RUN_ID: z.coerce.number().int().positive(),
  GITHUB_RUN_ATTEMPT: z.coerce.number().int().positive(),
  RUNNER_TEMP: z.string().min(1),
});

/** What GitHub tells a job about itself. */
export interface JobContext {
  readonly repo: RepoName;
  /** Address for git. */
  readonly remoteUrl: string;
  readonly apiUrl: string;
  readonly runId: number;
  readonly runAttempt: number;
  readonly tempFolder: string;
}

/** Reads the job's own variables. Throws CcdError `action.no-job` outside of a workflow job. */
export function readJobContext(environment: Readonly<Record<string, string | undefined>>): JobContext {
  const parsed = contextSchema.safeParse(environment);
  if (!parsed.success) throw noJob(parsed.error.issues.map((issue) => issue.path.join('.')));
  const context = parsed.data;
  const [owner = '', name = ''] = context.GITHUB_REPOSITORY.split('/');
  return {
    repo: { owner, name },
    remoteUrl: `${context.GITHUB_SERVER_URL.replace(/\/$/, '')}/${owner}/${name}.git`,
    apiUrl: context.GITHUB_API_URL,
    runId: context.GITHUB_RUN_ID,
    runAttempt: context.GITHUB_RUN_ATTEMPT,
    tempFolder: context.RUNNER_TEMP,
  };
}

function noJob(names: readonly string[]): CcdError {
  return new CcdError({
    code: 'action.no-job',
    message: `This is not a workflow job: ${names.join(', ')} cannot be used.`,
    remedy: 'Start the action from a workflow; ccd init adds those that it needs.',
    audience: 'operator',
  });
}
