import { z } from 'zod';
import { CcdError } from '../../domain/errors.ts';
import { issueNumberSchema } from '../../domain/ids.ts';
import { createIssue } from '../../github/apply/create-issue.ts';
import { repoParams } from '../../github/repo-name.ts';
import { controlIssueTitle, parseControlMarker, renderControlIssue } from '../../text/control-issue.ts';
import type { RepositoryContext } from '../context.ts';

const pageSchema = z.array(z.object({ number: issueNumberSchema, body: z.string().nullable() }));

/** The issue on which people command the whole repository: the app's own one when there is one, else a new one. */
export async function ensureControlIssue(context: RepositoryContext, trunk: string): Promise<number> {
  const { client, name, app } = context;
  const params = { ...repoParams(name), state: 'open', creator: `${app.slug}[bot]` };
  for await (const page of client.pages('GET /repos/{owner}/{repo}/issues', params, pageSchema)) {
    const found = page.find((issue) => parseControlMarker(issue.body ?? '') !== null);
    if (found !== undefined) return found.number;
  }
  const repository = `${name.owner}/${name.name}`;
  const body = renderControlIssue({ repository, trunk, pause: null, frozen: false, alarms: [], queue: [] });
  const created = await createIssue(client, name, { title: controlIssueTitle, body });
  if (created.kind === 'done') return created.number;
  throw new CcdError({
    code: 'init.control-issue',
    message: `The control issue could not be made (${created.kind}).`,
    remedy: 'Check that the app may write issues, then run `ccd init` again.',
    audience: 'operator',
  });
}
