/** Access level of an app or token for one area, ordered: none < read < write < admin. */
export type PermissionLevel = 'read' | 'write' | 'admin';

/** Area (`issues`, `contents`, `pull_requests`, …) → level. An absent area means no access. */
export type Permissions = Readonly<Record<string, PermissionLevel>>;

/** Role of a person in one repository, weakest first. */
export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin';

export interface User {
  readonly id: number;
  readonly nodeId: string;
  readonly login: string;
  readonly type: 'User' | 'Bot' | 'Organization';
  readonly email: string;
  readonly createdAt: number;
}

export interface App {
  readonly id: number;
  readonly nodeId: string;
  readonly slug: string;
  readonly name: string;
  readonly clientId: string;
  readonly owner: User;
  /** The `<slug>[bot]` account that acts when the app acts. */
  readonly bot: User;
  /** PKCS#8 PEM; GitHub itself keeps only the public half, this one hands it to tests. */
  readonly privateKey: string;
  readonly publicKey: string;
  readonly webhookSecret: string;
  webhookUrl: string | null;
  permissions: Permissions;
  events: readonly string[];
  readonly createdAt: number;
}

export interface Installation {
  readonly id: number;
  readonly app: App;
  readonly account: User;
  /** Ids of the repositories it may act on, or every one of the account. */
  repositories: 'all' | ReadonlySet<number>;
  permissions: Permissions;
  events: readonly string[];
  readonly createdAt: number;
  /** Set while the account's owner has suspended it: it reaches nothing. */
  suspendedAt: number | null;
  suspendedBy: User | null;
}

/** What a secret string stands for. `expiresAt` is in milliseconds of the store's clock. */
export type Grant =
  | { readonly kind: 'user'; readonly user: User }
  | {
      readonly kind: 'installation';
      readonly installation: Installation;
      readonly permissions: Permissions;
      readonly repositories: ReadonlySet<number> | null;
      readonly expiresAt: number;
    }
  | {
      readonly kind: 'job';
      readonly repositoryId: number;
      readonly runId: number;
      readonly permissions: Permissions;
      readonly expiresAt: number;
    };
