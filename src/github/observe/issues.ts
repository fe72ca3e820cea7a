import { z } from 'zod';
import type { DatabaseId, IssueNumber } from '../../domain/ids.ts';
import type { ObservedIssue } from '../../domain/snapshot.ts';
import { ApiFailure } from '../api-failure.ts';
import type { GitHubClient } from '../client.ts';
import type { RepoName } from '../repo-name.ts';
import {
  graphqlIssueFields,
  graphqlIssueSchema,
  type IssueWithLabelEvents,
  labelEventWindow,
} from '../schema/issue.ts';
import { type IssueEvents, observeIssueEvents } from './issue-events.ts';

export interface IssueSearch {
  /** Issues to read whatever their labels are. */
  readonly numbers: readonly IssueNumber[];
  /** Open issues with this label are found without being named. */
  readonly dispatchLabel: string;
  /**
   * Label events already consumed, by issue. Events are read by their ids (one more call) only where there may be others
   * than these; an issue that is not in the map is always read.
   */
  readonly consumed: ReadonlyMap<IssueNumber, readonly DatabaseId[]>;
}

export interface ObservedIssues {
  readonly issues: ReadonlyMap<IssueNumber, ObservedIssue>;
}

/** Issues in one query; more are split, as GitHub bounds what one query may cost. */
const issuesPerQuery = 40;

/**
 * Reads the named issues and all open ones that ask to be started. A number that is a pull request, or nothing, is left out.
 * Actors' rights are not read (`mayWrite` null), nor the dependency graph.
 */
export async function observeIssues(
  client: GitHubClient,
  repo: RepoName,
  search: IssueSearch,
): Promise<ObservedIssues> {
  const found = await readIssues(client, repo, search);
  const issues = await Promise.all(
    [...found.values()].map(async (one) => {
      if (!mayHaveNewRequests(one, search)) return one.issue;
      return withEvents(
        one.issue,
        await observeIssueEvents(client, repo, one.issue.number, search.dispatchLabel),
      );
    }),
  );
  return { issues: new Map(issues.map((issue) => [issue.number, issue])) };
}

/** Whether label events may exist that were not consumed: more of them than ids, or more than the window shows. */
export function mayHaveNewRequests(
  { issue, labelled }: IssueWithLabelEvents,
  search: Pick<IssueSearch, 'dispatchLabel' | 'consumed'>,
): boolean {
  const consumed = search.consumed.get(issue.number);
  const shown = labelled.filter((label) => sameLabel(label, search.dispatchLabel)).length;
  if (labelled.length >= labelEventWindow) return true;
  return shown > 0 && (consumed === undefined || shown > consumed.length);
}

/** Labels of one repository differ by more than case. */
function sameLabel(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** A change of the title counts as an edit: the digest covers it, GitHub's `lastEditedAt` does not. */
function withEvents(issue: ObservedIssue, events: IssueEvents): ObservedIssue {
  const edits = [issue.lastEditedAt, events.lastRenamedAt].filter((at) => at !== null);
  const newest = edits.sort((one, other) => Date.parse(other) - Date.parse(one))[0];
  return { ...issue, requests: events.requests, lastEditedAt: newest ?? null };
}

const connectionSchema = z.object({
  nodes: z.array(graphqlIssueSchema),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
});
const repositorySchema = z.object({
  repository: z
    .object({ dispatched: connectionSchema.optional() })
    .catchall(graphqlIssueSchema.nullable())
    .nullable(),
});

async function readIssues(
  client: GitHubClient,
  repo: RepoName,
  search: IssueSearch,
): Promise<Map<IssueNumber, IssueWithLabelEvents>> {
  const numbers = [...new Set(search.numbers)];
  const found = new Map<IssueNumber, IssueWithLabelEvents>();
  let list: DispatchedList | null = { label: search.dispatchLabel, after: null };
  for (let start = 0; list !== null || start < numbers.length; start += issuesPerQuery) {
    const part: IssuesPart = await readPart(client, repo, numbers.slice(start, start + issuesPerQuery), list);
    for (const one of part.issues) found.set(one.issue.number, one);
    list = part.after === null ? null : { label: search.dispatchLabel, after: part.after };
  }
  return found;
}

interface DispatchedList {
  readonly label: string;
  readonly after: string | null;
}

interface IssuesPart {
  readonly issues: readonly IssueWithLabelEvents[];
  /** Where the list of dispatched issues goes on; null at its end. */
  readonly after: string | null;
}

async function readPart(
  client: GitHubClient,
  repo: RepoName,
  numbers: readonly IssueNumber[],
  list: DispatchedList | null,
): Promise<IssuesPart> {
  const variables = { owner: repo.owner, name: repo.name, ...list };
  const { repository } = await client.query(issuesQuery(numbers, list !== null), variables, repositorySchema);
  if (repository === null) throw repositoryGone(repo);
  const { dispatched, ...named } = repository;
  const issues = [...(dispatched?.nodes ?? []), ...Object.values(named)].filter((one) => one !== null);
  return { issues, after: dispatched?.pageInfo.hasNextPage ? dispatched.pageInfo.endCursor : null };
}

function repositoryGone(repo: RepoName): ApiFailure {
  const message = `the repository ${repo.owner}/${repo.name} was not found`;
  return new ApiFailure('GraphQL', { kind: 'not-found', status: 200, message });
}

function issuesQuery(numbers: readonly IssueNumber[], dispatched: boolean): string {
  const named = numbers.map((number) => `i${number}: issue(number: ${number}) { ...issueFields }`);
  const list = `dispatched: issues(labels: [$label], states: [OPEN], first: 50, after: $after) {
    nodes { ...issueFields }
    pageInfo { hasNextPage endCursor }
  }`;
  const parameters = dispatched ? ', $label: String!, $after: String' : '';
  return `query($owner: String!, $name: String!${parameters}) {
  repository(owner: $owner, name: $name) {
    ${[...(dispatched ? [list] : []), ...named].join('\n    ')}
  }
}
fragment issueFields on Issue {${graphqlIssueFields}
}`;
}
