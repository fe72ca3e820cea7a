import type { OutcomeClass } from '../../domain/contract.ts';

/**
 * What an ending does to the circuit breaker: `success` and `empty` are those events, `failure` is one once its retries are used
 * up, `none` leaves it alone, `stop` says that no other run would end otherwise either.
 */
export type BreakerEffect = 'success' | 'empty' | 'failure' | 'none' | 'stop';

interface Row {
  readonly class: OutcomeClass;
  readonly retry: boolean;
  readonly breaker: BreakerEffect;
  /** How it is told, or what it means. */
  readonly told: string;
}

const row = (kind: OutcomeClass, breaker: BreakerEffect, told: string): Row => ({
  class: kind,
  retry: kind === 'transient',
  breaker,
  told,
});

/** Every way in which a run of the agent, or an attempt, ends. The same table stands in docs/worker.md. */
export const outcomeTable = {
  completed: row('success', 'success', 'The CLI says success, and nothing in the stream speaks against it.'),
  'only-denied': row(
    'success',
    'success',
    'The same, but every tool call was refused or failed, at least one by permissions: look at the configuration.',
  ),
  'empty-result': row('empty', 'empty', 'Success without an answer.'),
  'no-change': row('empty', 'empty', 'The run went well and the work tree is as before.'),

  'rate-limit': row('transient', 'failure', 'Status 429, or the CLI names it.'),
  overloaded: row('transient', 'failure', 'Status 529, or the last retry was one.'),
  'server-error': row('transient', 'failure', 'Any other status from 500.'),
  network: row('transient', 'failure', 'No connection, or one that broke off.'),
  'no-result': row(
    'transient',
    'failure',
    'The stream ended without the result of its last turn, whatever the exit code.',
  ),
  killed: row('transient', 'failure', 'The same, by a signal that was not ours (137 or SIGKILL: memory).'),
  'runner-lost': row('transient', 'failure', 'Nobody saw how the run ended.'),
  stalled: row('transient', 'failure', 'Nothing was heard for too long; the parent ended it.'),
  'upload-failed': row('transient', 'failure', 'A tree could not be uploaded.'),

  'max-turns': row('budget', 'none', 'The turns of the run are used up.'),
  'max-cost': row('budget', 'stop', 'The money is used up, for the CLI or for the gateway.'),
  'wall-clock': row('budget', 'none', 'The time of the attempt is used up.'),

  cancelled: row('cancelled', 'none', 'A person or the app ended it.'),
  paused: row('cancelled', 'none', 'The machine was paused.'),
  frozen: row('cancelled', 'none', 'The repository was frozen.'),
  superseded: row('cancelled', 'none', 'Another generation owns the task.'),
  interrupt: row('cancelled', 'none', 'The CLI says that it was interrupted.'),

  'invalid-api-key': row('auth', 'stop', 'Status 401; the parent ends the run at the first retry.'),
  forbidden: row('auth', 'stop', 'Status 403.'),
  'not-logged-in': row('auth', 'stop', 'The CLI has no key.'),
  'authentication-failed': row('auth', 'stop', 'The CLI names a fault of the account.'),
  billing: row('auth', 'stop', 'No credit is left.'),
  'usage-limit': row(
    'auth',
    'stop',
    'A usage limit is reached; the time of its end is kept where it is told.',
  ),

  'context-length': row('deterministic', 'failure', 'The prompt does not fit the context.'),
  'request-too-large': row('deterministic', 'failure', 'Status 413, or an image that is too large.'),
  'invalid-request': row(
    'deterministic',
    'failure',
    'Any other status from 400, or an error with no word for it.',
  ),
  'model-not-found': row('deterministic', 'stop', 'There is no such model.'),
  refusal: row('deterministic', 'failure', 'The model refused.'),
  'max-output-tokens': row('deterministic', 'failure', 'Every answer was cut at its longest.'),
  'structured-output-missing': row('deterministic', 'none', 'A schema was asked for, and nothing was given.'),
  'structured-output-invalid': row('deterministic', 'none', 'No answer fitted the schema.'),
  'malformed-report': row('deterministic', 'failure', 'A result that does not say whether it is an error.'),
  'unknown-ending': row('deterministic', 'failure', 'Success, for a reason that this table lacks.'),
  'hook-stopped': row('deterministic', 'failure', 'A hook ended the run.'),
  'error-during-execution': row('deterministic', 'failure', 'The CLI says no more than that.'),
  'session-not-found': row('deterministic', 'failure', 'The conversation to go on from is not there.'),
  'cli-usage': row(
    'deterministic',
    'stop',
    'The CLI did not take its command line: no event, exit code not 0.',
  ),
  'spawn-failed': row('deterministic', 'stop', 'The program could not be started (126, 127).'),
  'too-much-output': row('deterministic', 'failure', 'The stream is longer than any run has to say.'),
  'policy-violation': row('deterministic', 'failure', 'A path was written that was closed to the run.'),
  'secret-found': row('deterministic', 'failure', 'The tree holds something shaped like a secret.'),
  'verification-failed': row('deterministic', 'failure', 'The checks failed on the last try.'),
  'no-progress': row('deterministic', 'failure', 'A try changed nothing about the failure before it.'),
} as const satisfies Record<string, Row>;

/** A word of the table. */
export type OutcomeReason = keyof typeof outcomeTable;
