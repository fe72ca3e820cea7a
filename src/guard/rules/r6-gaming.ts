import type { Draft, Judged } from './judged.ts';
export function gamingRule(_judged: Judged): Draft[] {
  return [];
}
