import type { Strike } from './decider.ts';
import type { FaultKind, FaultRule } from './fault-plan.ts';
import type { Fault } from './faults.ts';

/** What a fault of the API does, and how it is told in the record. */
export interface Planned {
  readonly fault: Fault;
  readonly what: string;
}

/** Kinds that act on a call before its effect, and after it. */
export const BEFORE: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'error-before',
  'false-conflict',
  'primary-limit',
  'secondary-limit',
  'slow',
  'reset-before',
  'client-crash-before',
  'clock-jump',
  'admin-rolls-back',
  'admin-deletes-branch',
]);
export const AFTER: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'error-after',
  'reset-after',
  'dispatch-answer-lost',
  'client-crash-after',
]);

/** Operations that a rule of this kind can hit at all. */
export function reaches(rule: FaultRule, operation: string, method: string): boolean {
  if (rule.kind === 'dispatch-answer-lost') return operation === 'actions/create-workflow-dispatch';
  if (rule.kind === 'run-not-listed') return operation.startsWith('actions/list-workflow-runs');
  if (rule.kind === 'false-conflict') return method !== 'GET' && !operation.startsWith('git.');
  return true;
}

/** The answer that a strike puts in the place of the truth. `now` is in milliseconds. */
export function planFault(strike: Strike, now: number): Planned {
  const { rule } = strike;
  switch (rule.kind) {
    case 'error-before':
    case 'error-after': {
      const status = rule.status ?? [500, 502, 503, 504][Math.floor(strike.dice('status') * 4)]!;
      const when = rule.kind === 'error-before' ? 'before' : 'after';
      return { fault: { status, body: errorBody(status) }, what: `${status} ${when} the effect` };
    }
    case 'false-conflict':
      return { fault: { status: 409, body: { message: 'Conflict' } }, what: '409 without a conflict' };
    case 'primary-limit':
      return primaryLimit(now);
    case 'secondary-limit':
      return secondaryLimit(rule, strike.dice('status') < 0.5 ? 403 : 429);
    case 'slow': {
      const delayMs = Math.abs(rule.ms ?? 1_000);
      return { fault: { delayMs }, what: `answered ${delayMs} ms late` };
    }
    default: {
      const when = rule.kind.endsWith('before') ? 'before' : 'after';
      return { fault: { reset: true }, what: `connection reset ${when} the effect` };
    }
  }
}

/** GitHub's edge answers some of these with a page and not with JSON. */
const errorBody = (status: number): unknown =>
  status === 502 || status === 504
    ? { message: 'Server Error' }
    : '<html><head><title>Unicorn! · GitHub</title></head><body>We had issues producing the response to your request.</body></html>';

function primaryLimit(now: number): Planned {
  const hour = 3_600_000;
  const reset = Math.ceil((now + 1) / hour) * (hour / 1000);
  return {
    fault: {
      status: 403,
      body: { message: 'API rate limit exceeded for installation.' },
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) },
    },
    what: '403, primary rate limit',
  };
}

function secondaryLimit(rule: FaultRule, status: 403 | 429): Planned {
  const seconds = rule.retryAfter === undefined ? 1 : rule.retryAfter;
  return {
    fault: {
      status,
      body: {
        message:
          'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.',
      },
      headers: seconds === null ? {} : { 'retry-after': String(seconds) },
    },
    what: `${status}, secondary rate limit${seconds === null ? '' : `, ${seconds} s`}`,
  };
}
