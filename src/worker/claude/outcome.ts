import type { AttemptOutcome, OutcomeClass } from '../../domain/contract.ts';
import type { ChildExit } from '../../host/child.ts';
import type { ResultEvent } from './events.ts';
import type { StreamSummary } from './stream.ts';

/** Why the parent itself ended a run. */
export type StopCause =
  | 'cancelled'
  | 'paused'
  | 'frozen'
  | 'superseded'
  | 'stalled'
  | 'wall-clock'
  | 'max-cost'
  | 'too-much-output'
  | 'invalid-api-key';

export interface RunEnding {
  readonly exit: ChildExit;
  readonly summary: StreamSummary;
  /** Null when the run ended by itself. */
  readonly stopped: StopCause | null;
  readonly schemaAsked: boolean;
}

export interface ClassifiedOutcome extends AttemptOutcome {
  readonly retry: boolean;
}

const stopClasses: Record<StopCause, OutcomeClass> = {
  cancelled: 'cancelled',
  paused: 'cancelled',
  frozen: 'cancelled',
  superseded: 'cancelled',
  stalled: 'transient',
  'wall-clock': 'budget',
  'max-cost': 'budget',
  'too-much-output': 'deterministic',
  'invalid-api-key': 'auth',
};

/**
 * What to make of a run, from its last event, its exit and what the parent did; never from the exit code alone, and
 * never from the agent's prose: of the texts, only the error messages that the CLI itself writes are looked at. The order
 * of the rules is measured on recorded runs of the real CLI.
 */
export function classifyRun(ending: RunEnding): ClassifiedOutcome {
  // A result that had already arrived when the parent cleaned up keeps its own outcome.
  if (ending.stopped !== null) return outcome(stopClasses[ending.stopped], ending.stopped);
  if (ending.exit.kind === 'not-started') return outcome('deterministic', 'spawn-failed');
  const { result } = ending.summary;
  if (result === null) return withoutResult(ending.exit, ending.summary);
  if (result.terminal_reason?.startsWith('aborted_') === true) return outcome('cancelled', 'interrupt');
  if (result.subtype === 'error_max_turns') return outcome('budget', 'max-turns');
  if (result.subtype === 'error_max_budget_usd') return outcome('budget', 'max-cost');
  if (result.subtype !== 'success') return outcome('deterministic', subtypeReason(result));
  if (result.is_error) return failed(result, ending.summary.assistantError);
  if (ending.schemaAsked && result.structured_output === undefined) {
    return outcome('deterministic', 'structured-output-missing');
  }
  return finished(result, ending.summary);
}

function finished(result: ResultEvent, summary: StreamSummary): ClassifiedOutcome {
  const noAnswer = (result.result ?? '').trim() === '';
  // A slash command answers without a model and may have nothing to say; an agent that was asked must.
  if (noAnswer && (summary.live.messages > 0 || result.num_turns > 0))
    return outcome('empty', 'empty-result');
  return outcome('success', 'completed');
}

function withoutResult(
  exit: Extract<ChildExit, { kind: 'exited' }>,
  summary: StreamSummary,
): ClassifiedOutcome {
  if (exit.signal === 'SIGKILL') return outcome('transient', 'killed');
  if (exit.exitCode === 0 || exit.signal !== null || summary.events > 0)
    return outcome('transient', 'no-result');
  return outcome('deterministic', exit.exitCode === 127 ? 'spawn-failed' : 'cli-usage');
}

function subtypeReason(result: ResultEvent): string {
  if (result.subtype === 'error_max_structured_output_retries') return 'structured-output-invalid';
  return result.errors.some((error) => error.startsWith('No conversation found'))
    ? 'session-not-found'
    : 'error-during-execution';
}

/** `is_error: true` under `subtype: success`: the API, or the way to it, failed. */
function failed(result: ResultEvent, error: string | null): ClassifiedOutcome {
  if (result.terminal_reason === 'prompt_too_long') return outcome('deterministic', 'context-length');
  if (result.stop_reason === 'refusal') return outcome('deterministic', 'refusal');
  const status = result.api_error_status;
  if (status !== null) return byStatus(status, result, error);
  return byError(error, result.result ?? '');
}

function byStatus(status: number, result: ResultEvent, error: string | null): ClassifiedOutcome {
  if (status === 401) return outcome('auth', 'invalid-api-key');
  if (status === 403) return outcome('auth', 'forbidden');
  if (status === 429) return outcome('transient', 'rate-limit');
  if (status === 529) return outcome('transient', 'overloaded');
  if (status >= 500) return outcome('transient', 'server-error');
  if (error === 'billing_error' || isBilling(result.result ?? '')) return outcome('auth', 'billing');
  if (status === 413) return outcome('deterministic', 'request-too-large');
  if (error === 'model_not_found') return outcome('deterministic', 'model-not-found');
  return outcome('deterministic', 'invalid-request');
}

function byError(error: string | null, text: string): ClassifiedOutcome {
  switch (error) {
    case 'authentication_failed':
    case 'oauth_org_not_allowed':
    case 'account_on_hold':
    case 'verification_required':
    case 'cloud_credential_error':
      return outcome('auth', text.startsWith('Not logged in') ? 'not-logged-in' : 'authentication-failed');
    case 'billing_error':
      return outcome('auth', 'billing');
    case 'rate_limit':
      return outcome('transient', 'rate-limit');
    case 'overloaded':
      return outcome('transient', 'overloaded');
    case 'server_error':
      return outcome('transient', 'network');
    case 'max_output_tokens':
      return outcome('deterministic', 'max-output-tokens');
    case 'model_not_found':
      return outcome('deterministic', 'model-not-found');
    default:
      return outcome('deterministic', 'invalid-request');
  }
}

/** The two wordings of the API documentation; the text is the CLI's error line, not the agent's. */
function isBilling(text: string): boolean {
  return /credit balance is too low|specified API usage limits/i.test(text);
}

function outcome(kind: OutcomeClass, reason: string): ClassifiedOutcome {
  return { class: kind, reason, retry: kind === 'transient' };
}
