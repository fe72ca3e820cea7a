// Prunes GitHub's public GraphQL schema (@octokit/graphql-schema) to what src/local/graphql serves.
//
//   node scripts/extract-graphql.mjs
//
// Fields are listed per type below; enums, scalars and input types come along as they are needed.
// `Issue.blockedBy`, `Issue.blocking` and the mutations of dependencies exist on GitHub but not in the packaged schema: they
// are added by hand.
import { readFileSync, writeFileSync } from 'node:fs';
import { Kind, parse, print, visit } from 'graphql';

const TARGET = new URL('../src/local/graphql/schema.generated.ts', import.meta.url);
const SOURCE = new URL('../node_modules/@octokit/graphql-schema/schema.graphql', import.meta.url);

const ACTOR = 'avatarUrl login resourcePath url';
const CONNECTION = 'edges nodes pageInfo totalCount';
const EVENT = 'actor createdAt id';

const KEPT = {
  Query: 'node nodes rateLimit repository viewer',
  Mutation:
    'addSubIssue convertPullRequestToDraft deleteIssue markPullRequestReadyForReview removeSubIssue transferIssue updateRefs',
  Node: 'id',
  Actor: ACTOR,
  RepositoryOwner: `${ACTOR} id`,
  GitObject: 'id oid',
  User: `${ACTOR} databaseId email id name`,
  Bot: `${ACTOR} databaseId id`,
  Organization: `${ACTOR} databaseId id name`,
  Repository:
    'createdAt databaseId defaultBranchRef id isPrivate issue issueOrPullRequest issues label name nameWithOwner object owner pullRequest pullRequests pushedAt ref refs updatedAt url',
  IssueOrPullRequest: '',
  Issue:
    'author authorAssociation body closed closedAt comments createdAt databaseId editor fullDatabaseId id includesCreatedEdit labels lastEditedAt locked number parent repository state stateReason subIssues timelineItems title updatedAt url userContentEdits',
  PullRequest:
    'additions author authorAssociation baseRefName baseRefOid body changedFiles closed closedAt comments createdAt databaseId deletions editor fullDatabaseId headRefName headRefOid id isDraft labels lastEditedAt locked mergeCommit mergeable merged mergedAt mergedBy number repository reviews state timelineItems title updatedAt url userContentEdits',
  IssueComment:
    'author authorAssociation body createdAt databaseId editor fullDatabaseId id includesCreatedEdit lastEditedAt updatedAt url',
  PullRequestReview:
    'author authorAssociation body commit createdAt databaseId editor fullDatabaseId id lastEditedAt state submittedAt updatedAt url',
  UserContentEdit: 'createdAt editedAt editor id',
  UserContentEditConnection: CONNECTION,
  UserContentEditEdge: 'cursor node',
  Label: 'color description id name',
  Commit: 'id oid message committedDate',
  Ref: 'id name prefix target',
  PageInfo: 'endCursor hasNextPage hasPreviousPage startCursor',
  RateLimit: 'cost limit nodeCount remaining resetAt used',
  IssueConnection: CONNECTION,
  IssueEdge: 'cursor node',
  PullRequestConnection: CONNECTION,
  PullRequestEdge: 'cursor node',
  IssueCommentConnection: CONNECTION,
  IssueCommentEdge: 'cursor node',
  PullRequestReviewConnection: CONNECTION,
  PullRequestReviewEdge: 'cursor node',
  LabelConnection: CONNECTION,
  LabelEdge: 'cursor node',
  RefConnection: CONNECTION,
  RefEdge: 'cursor node',
  IssueTimelineItemsConnection: `${CONNECTION} filteredCount`,
  IssueTimelineItemsEdge: 'cursor node',
  PullRequestTimelineItemsConnection: `${CONNECTION} filteredCount`,
  PullRequestTimelineItemsEdge: 'cursor node',
  IssueTimelineItems: '',
  PullRequestTimelineItems: '',
  LabeledEvent: `${EVENT} label`,
  UnlabeledEvent: `${EVENT} label`,
  ClosedEvent: `${EVENT} stateReason`,
  ReopenedEvent: `${EVENT} stateReason`,
  RenamedTitleEvent: `${EVENT} currentTitle previousTitle`,
  MergedEvent: EVENT,
  ReadyForReviewEvent: EVENT,
  ConvertToDraftEvent: EVENT,
  ConvertPullRequestToDraftPayload: 'clientMutationId pullRequest',
  MarkPullRequestReadyForReviewPayload: 'clientMutationId pullRequest',
  AddSubIssuePayload: 'clientMutationId issue subIssue',
  RemoveSubIssuePayload: 'clientMutationId issue subIssue',
  DeleteIssuePayload: 'clientMutationId repository',
  TransferIssuePayload: 'clientMutationId issue',
  UpdateRefsPayload: 'clientMutationId',
};

const document = parse(readFileSync(SOURCE, 'utf8'));
const definitions = new Map(document.definitions.map((one) => [one.name?.value, one]));
const named = (type) => (type.kind === Kind.NAMED_TYPE ? type.name.value : named(type.type));
const isLeaf = (name) =>
  [Kind.ENUM_TYPE_DEFINITION, Kind.SCALAR_TYPE_DEFINITION, Kind.INPUT_OBJECT_TYPE_DEFINITION].includes(
    definitions.get(name)?.kind,
  );
const BUILT_IN = new Set(['String', 'Int', 'Float', 'Boolean', 'ID']);

function prune(name) {
  const definition = definitions.get(name);
  if (definition.kind === Kind.UNION_TYPE_DEFINITION)
    return { ...definition, types: definition.types.filter((type) => type.name.value in KEPT) };
  const wanted = new Set(KEPT[name].split(' '));
  const fields = definition.fields.filter((field) => wanted.delete(field.name.value));
  if (wanted.size > 0) throw new Error(`${name} has no ${[...wanted].join(', ')}`);
  for (const field of fields) {
    const type = named(field.type);
    if (!BUILT_IN.has(type) && !isLeaf(type) && !(type in KEPT))
      throw new Error(`${name}.${field.name.value}: ${type}`);
  }
  const interfaces = definition.interfaces?.filter((one) => one.name.value in KEPT);
  return { ...definition, fields, ...(interfaces ? { interfaces } : {}) };
}

const BLOCKING = parse(`extend type Issue {
  blockedBy(after: String, before: String, first: Int, last: Int): IssueConnection!
  blocking(after: String, before: String, first: Int, last: Int): IssueConnection!
}
extend type Mutation {
  addBlockedBy(input: AddBlockedByInput!): AddBlockedByPayload
  removeBlockedBy(input: RemoveBlockedByInput!): RemoveBlockedByPayload
}
input AddBlockedByInput { blockingIssueId: ID!, clientMutationId: String, issueId: ID! }
input RemoveBlockedByInput { blockingIssueId: ID!, clientMutationId: String, issueId: ID! }
type AddBlockedByPayload { blockingIssue: Issue, clientMutationId: String, issue: Issue }
type RemoveBlockedByPayload { blockingIssue: Issue, clientMutationId: String, issue: Issue }`).definitions;

const kept = Object.keys(KEPT).map(prune);
const leaves = new Map();
function collect(node) {
  visit(node, {
    NamedType(type) {
      const name = type.name.value;
      if (!isLeaf(name) || leaves.has(name)) return;
      leaves.set(name, definitions.get(name));
      collect(definitions.get(name));
    },
  });
}
for (const definition of kept) collect(definition);

const bare = visit(
  { kind: Kind.DOCUMENT, definitions: [...kept, ...leaves.values(), ...BLOCKING] },
  {
    enter(node) {
      const { description: _, ...rest } = node;
      return rest.directives ? { ...rest, directives: [] } : rest;
    },
  },
);
const sdl = print(bare);
writeFileSync(
  TARGET,
  `// Generated by scripts/extract-graphql.mjs from GitHub's public schema. Do not edit.\nexport const SCHEMA = \`${sdl.replaceAll('`', '\\`')}\`;\n`,
);
process.stdout.write(`${kept.length} types, ${leaves.size} leaves, ${Math.round(sdl.length / 1024)} KB\n`);
