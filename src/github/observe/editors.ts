import { z } from 'zod';
import type { DatabaseId, IssueNumber } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import type { RepoName } from '../repo-name.ts';
import { graphqlActorFields, graphqlActorSchema } from '../schema/actor.ts';
import { observeIssueEvents } from './issue-events.ts';

const editsSchema = z.object({
  repository: z.object({
    issue: z
      .object({
        userContentEdits: z
          .object({
            nodes: z.array(z.object({ editor: graphqlActorSchema }).nullable()),
            pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
          })
          .nullable(),
      })
      .nullable(),
  }),
});

const editsQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      userContentEdits(first: 100, after: $after) {
        nodes { editor { ${graphqlActorFields} } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;

/** Everybody who ever changed the body or the title of an issue; its author is among them when the body was changed. */
export async function observeEditors(
  client: GitHubClient,
  repo: RepoName,
  number: IssueNumber,
): Promise<DatabaseId[]> {
  const { renamedBy } = await observeIssueEvents(client, repo, number, '');
  const editors = new Set(renamedBy);
  let after: string | null = null;
  do {
    const variables = { owner: repo.owner, name: repo.name, number, after };
    const found: z.infer<typeof editsSchema> = await client.query(editsQuery, variables, editsSchema);
    const edits = found.repository.issue?.userContentEdits ?? null;
    for (const edit of edits?.nodes ?? []) if (edit !== null) editors.add(edit.editor.id);
    after = edits?.pageInfo.hasNextPage === true ? edits.pageInfo.endCursor : null;
  } while (after !== null);
  return [...editors];
}
