import { iso } from '../iso.ts';
import { asPull } from '../present/pull.ts';
import type { Issue, TimelineEvent } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import { actorNode } from './actor-node.ts';
import type { Caller } from './caller.ts';
import { commentNode, labelNode, reviewNode } from './comment-node.ts';
import { type ConnectionArgs, connection } from './connection.ts';

const TYPES: Readonly<Record<string, string>> = {
  labeled: 'LabeledEvent',
  unlabeled: 'UnlabeledEvent',
  closed: 'ClosedEvent',
  reopened: 'ReopenedEvent',
  renamed: 'RenamedTitleEvent',
  merged: 'MergedEvent',
  ready_for_review: 'ReadyForReviewEvent',
  convert_to_draft: 'ConvertToDraftEvent',
  commented: 'IssueComment',
  reviewed: 'PullRequestReview',
};

export interface TimelineArgs extends ConnectionArgs {
  readonly itemTypes?: readonly string[] | null;
  readonly since?: string | null;
  readonly skip?: number | null;
}

/** `LABELED_EVENT` → `LabeledEvent`. */
const typeOf = (item: string): string =>
  item
    .toLowerCase()
    .split('_')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('');

/** `timelineItems` of an issue or pull request, filtered by `itemTypes` and `since`. Events without a node here are left out. */
export function timelineItems(caller: Caller, repo: Repo, issue: Issue, args: TimelineArgs) {
  const wanted = args.itemTypes ? new Set(args.itemTypes.map(typeOf)) : null;
  const since = args.since ? Date.parse(args.since) : 0;
  const events = issue.timeline.filter((event) => {
    const type = TYPES[event.event];
    return type !== undefined && (wanted === null || wanted.has(type)) && event.createdAt >= since;
  });
  return connection('timelineItems', events.slice(args.skip ?? 0), args, (event) =>
    eventNode(caller, repo, issue, event),
  );
}

function eventNode(caller: Caller, repo: Repo, issue: Issue, event: TimelineEvent) {
  if (event.comment) return commentNode(caller, repo, event.comment);
  if (event.review) return reviewNode(caller, repo, asPull(issue)!, event.review);
  return {
    __typename: TYPES[event.event],
    id: event.nodeId,
    actor: actorNode(caller.store, event.actor),
    createdAt: iso(event.createdAt),
    label: eventLabel(repo, event),
    stateReason: event.stateReason?.toUpperCase() ?? null,
    previousTitle: event.rename?.from,
    currentTitle: event.rename?.to,
  };
}

/** The label as it is now, or as it was when it is gone. */
function eventLabel(repo: Repo, event: TimelineEvent) {
  if (!event.label) return null;
  const { name, color } = event.label;
  const label = repo.labels.find((one) => one.name === name);
  return label ? labelNode(label) : { __typename: 'Label', id: `LA_${name}`, name, color, description: null };
}
