import { coerceText, type Value } from '../expressions/values.ts';
import type { JobRecord } from '../runs/records.ts';
import type { RunnerConfig } from './config.ts';
import type { JobPaths } from './job-paths.ts';

/** What jobs inherit of the machine; anything else comes from the runner's configuration. */
const INHERITED = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];

/** Fields of the `github` context that are variables too, by GitHub's list of default environment variables. */
const FROM_CONTEXT = [
  'actor',
  'actor_id',
  'api_url',
  'base_ref',
  'event_name',
  'graphql_url',
  'head_ref',
  'ref',
  'ref_name',
  'ref_protected',
  'ref_type',
  'repository',
  'repository_id',
  'repository_owner',
  'repository_owner_id',
  'retention_days',
  'run_attempt',
  'run_id',
  'run_number',
  'server_url',
  'sha',
  'triggering_actor',
  'workflow',
  'workflow_ref',
  'workflow_sha',
];

/** `NAME=value` that every process of a job carries, so that none can hide. */
export function jobMarker(job: JobRecord): string {
  return `CCD_LOCAL_JOB=${job.marker}`;
}

/** What jobs inherit of the machine and of the runner's configuration; a workflow's `env` may replace it. */
export function machineEnvironment(config: RunnerConfig, paths: JobPaths): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    HOME: paths.home,
    TMPDIR: paths.temp,
    CI: 'true',
    ...config.env,
  };
}

/** GitHub's default variables, which a workflow cannot replace, and the marker. The token is not among them. */
export function defaultVariables(
  job: JobRecord,
  config: RunnerConfig,
  paths: JobPaths,
  github: Readonly<Record<string, Value>>,
): Record<string, string> {
  return {
    GITHUB_ACTIONS: 'true',
    ...Object.fromEntries(
      FROM_CONTEXT.map((name) => [`GITHUB_${name.toUpperCase()}`, coerceText(github[name] ?? '')]),
    ),
    GITHUB_JOB: job.key,
    GITHUB_EVENT_PATH: paths.eventFile,
    GITHUB_WORKSPACE: paths.workspace,
    RUNNER_NAME: config.name,
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: process.arch === 'arm64' ? 'ARM64' : 'X64',
    RUNNER_ENVIRONMENT: 'self-hosted',
    RUNNER_TEMP: paths.temp,
    RUNNER_TOOL_CACHE: paths.toolCache,
    RUNNER_WORKSPACE: `${paths.root}/${job.run.repo.name}`,
    CCD_LOCAL_JOB: job.marker,
  };
}
