import type { App, User } from './identity.ts';

export interface CheckSuite {
  readonly id: number;
  readonly nodeId: string;
  readonly app: App;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly createdAt: number;
  updatedAt: number;
}

export interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_column?: number | undefined;
  readonly end_column?: number | undefined;
  readonly annotation_level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title?: string | undefined;
  readonly raw_details?: string | undefined;
}

export interface CheckOutput {
  title: string | null;
  summary: string | null;
  text: string | null;
}

export interface CheckRun {
  readonly id: number;
  readonly nodeId: string;
  readonly suite: CheckSuite;
  readonly app: App;
  name: string;
  readonly headSha: string;
  status: 'queued' | 'in_progress' | 'completed' | 'waiting' | 'requested' | 'pending';
  conclusion: string | null;
  detailsUrl: string | null;
  externalId: string;
  startedAt: number | null;
  completedAt: number | null;
  readonly createdAt: number;
  output: CheckOutput;
  readonly annotations: Annotation[];
}

export interface CommitStatus {
  readonly id: number;
  readonly nodeId: string;
  readonly sha: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creator: User;
  readonly createdAt: number;
}
