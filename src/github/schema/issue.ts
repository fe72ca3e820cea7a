import { z } from 'zod';
import { databaseIdSchema, instantSchema, issueNumberSchema } from '../../domain/ids.ts';
import type { ObservedIssue } from '../../domain/snapshot.ts';
import { bodyDigest } from '../../spec/digest.ts';
import { graphqlActorFields, graphqlActorSchema } from './actor.ts';

/** How many of an issue's label events one request looks at. */
export const labelEventWindow = 50;

/** Fields of `graphqlIssueSchema` for a query. */
export const graphqlIssueFields = `
  id number fullDatabaseId title body state stateReason lastEditedAt
  author { ${graphqlActorFields} }
  labels(first: 100) { nodes { name } }
  timelineItems(itemTypes: [LABELED_EVENT], last: ${labelEventWindow}) {
    nodes { ... on LabeledEvent { label { name } } }
  }`;

/** Ids outgrew 32 bits, so GraphQL gives them as text. */
const bigIdSchema = z.union([z.string(), z.number()]).transform(Number).pipe(databaseIdSchema);

const reasons: Readonly<Record<string, ObservedIssue['stateReason']>> = {
  COMPLETED: 'completed',
  NOT_PLANNED: 'not_planned',
  DUPLICATE: 'not_planned',
  REOPENED: 'reopened',
};

const issueFieldsSchema = z.object({
  id: z.string(),
  number: issueNumberSchema,
  fullDatabaseId: bigIdSchema,
  title: z.string(),
  body: z.string(),
  state: z.enum(['OPEN', 'CLOSED']),
  stateReason: z.string().nullish(),
  lastEditedAt: instantSchema.nullable(),
  author: graphqlActorSchema,
  labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }).nullable(),
  timelineItems: z.object({
    nodes: z.array(z.object({ label: z.object({ name: z.string() }).nullish() }).nullable()),
  }),
});

/** An issue as GraphQL shows it, and the labels of its newest label events: these have no ids there. */
export interface IssueWithLabelEvents {
  readonly issue: ObservedIssue;
  readonly labelled: readonly string[];
}

export const graphqlIssueSchema = issueFieldsSchema.transform(
  (found): IssueWithLabelEvents => ({
    issue: {
      number: found.number,
      id: found.fullDatabaseId,
      nodeId: found.id,
      title: found.title,
      body: found.body,
      bodyDigest: bodyDigest(found.title, found.body),
      lastEditedAt: found.lastEditedAt,
      open: found.state === 'OPEN',
      stateReason: reasons[found.stateReason ?? ''] ?? null,
      author: found.author,
      labels: found.labels?.nodes.map((label) => label.name) ?? [],
      requests: [],
      editors: null,
      askerMayWrite: null,
      blockedBy: null,
    },
    labelled: found.timelineItems.nodes.flatMap((event) => (event?.label ? [event.label.name] : [])),
  }),
);
