import type { Actor } from './principal.ts';
import type { CheckRun } from './records/check.ts';
import type { Issue, Label } from './records/issue.ts';
import type { Repo } from './records/repository.ts';

/** One branch or tag moved, by whatever door. Oids are 40 hex digits; 40 zeros mean "did not exist" or "is gone". */
interface PushEvent {
  readonly repo: Repo;
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly created: boolean;
  readonly deleted: boolean;
  readonly forced: boolean;
  readonly actor: Actor;
}

/** Refs of any namespace have moved, in one step. */
interface RefsEvent {
  readonly repo: Repo;
  readonly moves: readonly { readonly ref: string; readonly before: string; readonly after: string }[];
  readonly actor: Actor;
}

interface PullRequestEvent {
  readonly repo: Repo;
  /** GitHub's action: opened, synchronize, closed, reopened, edited, ready_for_review, converted_to_draft, labeled… */
  readonly action: string;
  readonly issue: Issue;
  readonly actor: Actor;
}

/** A webhook to be delivered: `body` holds the parts beside action, repository, sender and installation. */
export interface WebhookEvent {
  readonly event: string;
  readonly action: string | null;
  readonly repo: Repo;
  readonly actor: Actor;
  readonly body: Readonly<Record<string, unknown>>;
  /** Deliver to this app alone (check_run.rerequested). */
  readonly onlyAppId?: number;
}

/** Everything that happens here, for listeners in the same process. */
export interface LocalEvents {
  push: PushEvent;
  refs: RefsEvent;
  pullRequest: PullRequestEvent;
  label: { repo: Repo; issue: Issue; label: Label; added: boolean; actor: Actor };
  checkRun: { repo: Repo; checkRun: CheckRun; action: string };
  webhook: WebhookEvent;
}
