import { nodeId } from '../../node-id.ts';
import type { User } from '../../records/identity.ts';
import type { Repo } from '../../records/repository.ts';

/** What a person can set for an environment. */
export interface EnvironmentRules {
  /** Who may let a job go on; any one of them. Without reviewers nothing waits. */
  readonly reviewers: readonly User[];
  /** Who started the run may not let it go on. */
  readonly preventSelfReview: boolean;
  /** They win over the repository's. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
}

export interface Environment extends EnvironmentRules {
  readonly id: number;
  readonly nodeId: string;
  readonly repo: Repo;
  readonly name: string;
  readonly createdAt: number;
}

const FIRST_ID = 210_000_000;
const NO_RULES: EnvironmentRules = { reviewers: [], preventSelfReview: false, secrets: {}, variables: {} };

/** The environments of all repositories. Names are not case-sensitive. */
export class Environments {
  /** In the order in which they were made. */
  readonly all: Environment[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The environment of a name; a job that names one that is not there makes it, without rules, as on GitHub. */
  of(repo: Repo, name: string): Environment {
    const known = this.all.find((one) => one.repo === repo && one.name.toLowerCase() === name.toLowerCase());
    if (known !== undefined) return known;
    const id = FIRST_ID + this.all.length;
    const made = { id, nodeId: nodeId('EN', id), repo, name, createdAt: this.#now(), ...NO_RULES };
    this.all.push(made);
    return made;
  }

  /** Sets rules; what is left out stays as it is. At most six reviewers, as on GitHub. */
  set(repo: Repo, name: string, rules: Partial<EnvironmentRules>): Environment {
    if ((rules.reviewers?.length ?? 0) > 6) throw new RangeError('An environment has at most six reviewers.');
    return Object.assign(this.of(repo, name), rules);
  }
}
