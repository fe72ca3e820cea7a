import type { Limits } from '../../domain/budget.ts';
import { CcdError } from '../../domain/errors.ts';

export interface AgentCommand {
  /** Absolute path of the executable. */
  readonly program: string;
  /** A full model id, never an alias: aliases move. */
  readonly model: string;
  readonly limits: Pick<Limits, 'maxTurns' | 'maxMicroUsd'>;
  readonly allowedTools: readonly string[];
  readonly settingsFile: string;
  readonly rulesFile: string;
  readonly sessionId: string;
  /** JSON Schema that the answer has to fit. */
  readonly jsonSchema?: string;
  /** Names the MCP servers of the run; none unless given. */
  readonly mcpConfigFile?: string;
  readonly permissionMode?: 'dontAsk' | 'acceptEdits';
}

/** Tools that would leave the machine, or write where only the app writes. */
const disallowedTools = ['WebFetch', 'WebSearch', 'Bash(git push *)'];

/**
 * The measured command line of a headless run. The repository's own settings are never read (`--setting-sources=`): they
 * can redirect the model's address and start programs. Lists are given as `--option=a,b`, because a separate word after
 * them would be swallowed. Throws CcdError when a limit is one that the program would silently ignore.
 */
export function agentArgv(command: AgentCommand): [string, ...string[]] {
  const { maxTurns, maxMicroUsd } = command.limits;
  if (
    !Number.isSafeInteger(maxTurns) ||
    maxTurns < 1 ||
    !Number.isSafeInteger(maxMicroUsd) ||
    maxMicroUsd < 1
  ) {
    throw badLimit(maxTurns, maxMicroUsd);
  }
  return [
    command.program,
    '-p',
    ...['--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    ...['--model', command.model],
    ...['--max-turns', String(maxTurns), '--max-budget-usd', (maxMicroUsd / 1_000_000).toFixed(6)],
    ...['--permission-mode', command.permissionMode ?? 'dontAsk'],
    `--allowedTools=${command.allowedTools.join(',')}`,
    `--disallowedTools=${disallowedTools.join(',')}`,
    ...['--setting-sources=', '--strict-mcp-config'],
    ...(command.mcpConfigFile === undefined ? [] : [`--mcp-config=${command.mcpConfigFile}`]),
    ...(command.jsonSchema === undefined ? [] : ['--json-schema', command.jsonSchema]),
    ...['--settings', command.settingsFile],
    ...['--append-system-prompt-file', command.rulesFile],
    ...['--session-id', command.sessionId],
  ];
}

function badLimit(turns: number, microUsd: number): CcdError {
  return new CcdError({
    code: 'worker.bad-limit',
    message: `The agent cannot be started with ${turns} turns and ${microUsd} micro-dollars.`,
    remedy: 'Give whole numbers of at least 1: the agent takes 0 for "no limit".',
    audience: 'operator',
  });
}
