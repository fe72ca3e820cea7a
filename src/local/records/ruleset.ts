export interface BypassActor {
  readonly actor_id: number | null;
  readonly actor_type: 'Integration' | 'RepositoryRole' | 'OrganizationAdmin' | 'Team' | 'DeployKey' | 'User';
  readonly bypass_mode: 'always' | 'pull_request' | 'exempt';
}

export interface Rule {
  readonly type: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** A ruleset in GitHub's own field names: it is stored as it was given. */
export interface Ruleset {
  readonly id: number;
  readonly nodeId: string;
  name: string;
  target: 'branch' | 'tag' | 'push';
  enforcement: 'disabled' | 'active' | 'evaluate';
  bypassActors: readonly BypassActor[];
  include: readonly string[];
  exclude: readonly string[];
  rules: readonly Rule[];
  readonly createdAt: number;
  updatedAt: number;
}
