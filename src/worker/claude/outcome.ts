import type { AttemptOutcome } from '../../domain/contract.ts';
import type { ChildExit } from '../../host/child.ts';
import type { ResultEvent } from './events.ts';
import { isBilling, isUsageLimit, usageLimitEnd } from './limit-texts.ts';
import { type BreakerEffect, type OutcomeReason, outcomeTable } from './outcome-table.ts';
import type { StreamSummary } from './stream-summary.ts';

/** Why the parent itself ended a run. */
export type StopCause = Extract<
  OutcomeReason,
  | 'cancelled'
  | 'paused'
  | 'frozen'
  | 'superseded'
  | 'stalled'
  | 'wall-clock'
  | 'max-cost'
  | 'too-much-output'
  | 'invalid-api-key'
>;

export interface RunEnding {
  /** Neither code nor signal: nobody saw it end. */
  readonly exit: ChildExit;
  readonly summary: StreamSummary;
  /** Null when the run ended by itself. */
  readonly stopped: StopCause | null;
  readonly schemaAsked: boolean;
}

export interface ClassifiedOutcome extends AttemptOutcome {
  readonly reason: OutcomeReason;
  readonly retry: boolean;
  readonly breaker: BreakerEffect;
  /** When a usage limit ends, in ISO 8601; null when there is none or it is not told. */
  readonly resetsAt: string | null;
}

/**
 * What to make of a run, from its last event, its exit and what the parent did; never from the exit code alone, and
 * never from the agent's prose: of the texts, only the error messages that the CLI itself writes are looked at. The order
 * of the rules is measured on recorded runs of the real CLI.
 */
export function classifyRun(ending: RunEnding): ClassifiedOutcome {
  const reason = reasonOf(ending);
  const text = ending.summary.result?.result ?? '';
  return outcomeOf(reason, reason === 'usage-limit' ? usageLimitEnd(text) : null);
}

/** The table's row for a reason. */
export function outcomeOf(reason: OutcomeReason, resetsAt: string | null = null): ClassifiedOutcome {
  const { class: kind, retry, breaker } = outcomeTable[reason];
  return { class: kind, reason, retry, breaker, resetsAt };
}

/** The same as a report tells it. */
export function attemptOutcome(reason: OutcomeReason): AttemptOutcome {
  return { class: outcomeTable[reason].class, reason };
}

function reasonOf({ exit, summary, stopped, schemaAsked }: RunEnding): OutcomeReason {
  // A result that had already arrived when the parent cleaned up keeps its own outcome.
  if (stopped !== null) return stopped;
  if (exit.kind === 'not-started') return 'spawn-failed';
  const { result } = summary;
  // What was lost after a result may have been another turn, with a result of its own.
  if (result === null || summary.turnOpen) return withoutResult(exit, summary);
  const failure = failureOf(result, summary);
  if (failure !== null) return failure;
  if (summary.lastLineCut) return withoutResult(exit, summary);
  return finished(result, summary, schemaAsked);
}

function withoutResult(
  { exitCode, signal }: Extract<ChildExit, { kind: 'exited' }>,
  summary: StreamSummary,
): OutcomeReason {
  if (exitCode === null && signal === null) return 'runner-lost';
  if (signal === 'SIGKILL' || exitCode === 137) return 'killed';
  if (exitCode === 0 || signal !== null || summary.events > 0 || exitCode === null || exitCode > 128)
    return 'no-result';
  return exitCode === 126 || exitCode === 127 ? 'spawn-failed' : 'cli-usage';
}

/** Why a result is no success, whatever its `subtype` says; null when nothing speaks against it. */
function failureOf(result: ResultEvent, summary: StreamSummary): OutcomeReason | null {
  const { subtype, is_error: isError, terminal_reason: terminal, api_error_status: status } = result;
  if (terminal?.startsWith('aborted_') === true) return 'interrupt';
  if (subtype === '' || isError === null) return 'malformed-report';
  const named = bySubtype.get(subtype) ?? byTerminalReason.get(terminal ?? '');
  if (named !== undefined) return named;
  if (result.stop_reason === 'refusal') return 'refusal';
  // The text is the CLI's own when the CLI made up the last answer; otherwise the agent wrote it.
  const text = summary.endedInError ? (result.result ?? '') : '';
  if (status !== null && status >= 400) return byStatus(status, summary.assistantError, text);
  if (subtype !== 'success') return duringExecution(result);
  // Also with success and exit 0: the last thing said was then an error in the model's place.
  if (isError || summary.endedInError) return byError(summary, text);
  return terminal === null || terminal === 'completed' ? null : 'unknown-ending';
}

const bySubtype: ReadonlyMap<string, OutcomeReason> = new Map<string, OutcomeReason>([
  ['error_max_turns', 'max-turns'],
  ['error_max_budget_usd', 'max-cost'],
  ['error_max_structured_output_retries', 'structured-output-invalid'],
]);

const byTerminalReason: ReadonlyMap<string, OutcomeReason> = new Map<string, OutcomeReason>([
  ['max_turns', 'max-turns'],
  ['budget_exhausted', 'max-cost'],
  ['structured_output_retry_exhausted', 'structured-output-invalid'],
  ['prompt_too_long', 'context-length'],
  ['blocking_limit', 'context-length'],
  ['image_error', 'request-too-large'],
  ['hook_stopped', 'hook-stopped'],
  ['stop_hook_prevented', 'hook-stopped'],
]);

function finished(result: ResultEvent, summary: StreamSummary, schemaAsked: boolean): OutcomeReason {
  const hasOutput = result.structured_output !== undefined && result.structured_output !== null;
  if (schemaAsked && !hasOutput) return 'structured-output-missing';
  const noAnswer = (result.result ?? '').trim() === '' && !hasOutput;
  // A slash command answers without a model and may have nothing to say; an agent that was asked must.
  if (noAnswer && (summary.live.messages > 0 || result.num_turns > 0)) return 'empty-result';
  const { toolResults, toolErrors } = summary;
  const onlyErrors = toolResults > 0 && toolErrors === toolResults;
  return onlyErrors && result.permission_denials.length > 0 ? 'only-denied' : 'completed';
}

function duringExecution(result: ResultEvent): OutcomeReason {
  return result.errors.some((error) => error.startsWith('No conversation found'))
    ? 'session-not-found'
    : 'error-during-execution';
}

function byStatus(status: number, error: string | null, text: string): OutcomeReason {
  if (status === 401) return 'invalid-api-key';
  if (status === 403) return 'forbidden';
  if (status < 500 && isUsageLimit(text)) return 'usage-limit';
  if (status === 429) return 'rate-limit';
  if (status === 408) return 'network';
  if (status === 529) return 'overloaded';
  if (status >= 500) return 'server-error';
  if (status === 402 || error === 'billing_error' || isBilling(text)) return 'billing';
  if (status === 413) return 'request-too-large';
  if (error === 'model_not_found') return 'model-not-found';
  return 'invalid-request';
}

function byError({ assistantError, lastRetryStatus }: StreamSummary, text: string): OutcomeReason {
  switch (assistantError) {
    case 'authentication_failed':
    case 'oauth_org_not_allowed':
    case 'account_on_hold':
    case 'verification_required':
    case 'cloud_credential_error':
      return text.startsWith('Not logged in') ? 'not-logged-in' : 'authentication-failed';
    case 'billing_error':
      return isUsageLimit(text) ? 'usage-limit' : 'billing';
    case 'rate_limit':
      return isUsageLimit(text) ? 'usage-limit' : 'rate-limit';
    case 'overloaded':
      return 'overloaded';
    case 'server_error':
      // A fault that the API put into the stream reads like a broken connection; the retries before it say more.
      return lastRetryStatus === 529 ? 'overloaded' : 'network';
    case 'max_output_tokens':
      return 'max-output-tokens';
    case 'model_not_found':
      return 'model-not-found';
    default:
      return isUsageLimit(text) ? 'usage-limit' : 'invalid-request';
  }
}
