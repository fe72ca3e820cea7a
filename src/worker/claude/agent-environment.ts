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

/**
 * Variables of a session that this one would take itself for a part of, or by which it would ask for a model elsewhere than at
 * the gateway. No operator's list brings them in.
 */
const notForAgents =
  /^(?:CLAUDECODE|ANTHROPIC_.*|CLAUDE_CONFIG_DIR|CLAUDE_PROJECT_DIR|CLAUDE_(?:CODE_)?(?:ENTRYPOINT|SSE_PORT|API_.*|USE_.*|REMOTE.*|SIMPLE|EXTRA_BODY|.*SESSION.*|.*OAUTH.*|.*AUTH|.*TOKEN))$/;

/** Caches of tools, each below a home that ends with the attempt, whatever the machine's settings say. */
export function cacheEnvironment(home: string): Environment {
  return {
    XDG_CACHE_HOME: `${home}/.cache`,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_STATE_HOME: `${home}/.local/state`,
    npm_config_cache: `${home}/.npm`,
    PIP_CACHE_DIR: `${home}/.cache/pip`,
    CARGO_HOME: `${home}/.cargo`,
    GOPATH: `${home}/go`,
    GOCACHE: `${home}/.cache/go-build`,
    GOMODCACHE: `${home}/go/pkg/mod`,
  };
}

/** The agent's whole environment: no token, no key but the gateway's, nothing of the runner's. */
export function agentEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  places: AgentPlaces,
  extra: Environment = {},
): Environment {
  return childEnvironment(parent, {
    ...cacheEnvironment(places.home),
    HOME: places.home,
    TMPDIR: places.temporary,
    // Its Bash tool needs to write there, and a home may be read-only.
    CLAUDE_CONFIG_DIR: `${places.temporary}/claude`,
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
    ...Object.fromEntries(Object.entries(extra).filter(([name]) => !notForAgents.test(name))),
  });
}
