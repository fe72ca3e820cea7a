import { childEnvironment, type Environment } from '../../host/environment.ts';

export interface AgentPlaces {
  readonly home: string;
  readonly temporary: string;
  /** Address of the parent's gateway. */
  readonly modelUrl: string;
  /** Proves to the gateway that the caller is this child; worthless anywhere else. */
  readonly modelKey: string;
}

/** Longest time one command of the agent may take. */
export const longestCommandMs = 300_000;

/** The agent's whole environment: no token, no key but the gateway's, nothing of the runner's. */
export function agentEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  places: AgentPlaces,
  extra: Environment = {},
): Environment {
  return childEnvironment(parent, {
    HOME: places.home,
    TMPDIR: places.temporary,
    USER: 'ccd',
    LOGNAME: 'ccd',
    GIT_AUTHOR_NAME: 'ccd agent',
    GIT_AUTHOR_EMAIL: 'agent@ccd.invalid',
    GIT_COMMITTER_NAME: 'ccd agent',
    GIT_COMMITTER_EMAIL: 'agent@ccd.invalid',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    ANTHROPIC_BASE_URL: places.modelUrl,
    ANTHROPIC_API_KEY: places.modelKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    DISABLE_AUTOUPDATER: '1',
    // The gateway and the worker retry too: the CLI's own ten would multiply with theirs.
    CLAUDE_CODE_MAX_RETRIES: '3',
    BASH_DEFAULT_TIMEOUT_MS: '120000',
    BASH_MAX_TIMEOUT_MS: String(longestCommandMs),
    ...extra,
  });
}
