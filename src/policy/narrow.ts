import { type Limits, usdToMicro } from '../domain/budget.ts';
import type { TaskBudget } from '../domain/spec.ts';
import type { Policy } from './policy.ts';

/** The policy with a task's budget applied: each bound is the smaller of the two, so that a task never widens what policy grants. */
export function narrow(policy: Policy, budget: TaskBudget): Policy {
  return {
    ...policy,
    agent: {
      ...policy.agent,
      max_usd: Math.min(policy.agent.max_usd, budget.maxUsd),
      max_turns: Math.min(policy.agent.max_turns, budget.maxTurns),
      max_tries: Math.min(policy.agent.max_tries, budget.maxTries),
      wall_clock_minutes: Math.min(policy.agent.wall_clock_minutes, budget.wallClockMinutes),
    },
  };
}

/**
 * Bounds of the next attempt: policy narrowed by the task, and by the dollars that the task has left over all its generations.
 * `spentMicroUsd` in millionths of a dollar. A `maxMicroUsd` of 0 means that nothing is left to start with.
 */
export function limitsOf(policy: Policy, budget: TaskBudget, spentMicroUsd: number): Limits {
  const { agent, caps } = narrow(policy, budget);
  return {
    maxMicroUsd: Math.max(0, Math.min(usdToMicro(agent.max_usd), usdToMicro(caps.usd) - spentMicroUsd)),
    maxTurns: agent.max_turns,
    maxTries: agent.max_tries,
    wallClockMs: agent.wall_clock_minutes * 60_000,
    silenceMs: Math.round(agent.silence_minutes * 60_000),
  };
}
