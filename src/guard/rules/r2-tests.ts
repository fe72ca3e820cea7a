import type { Draft, Judged } from './judged.ts';
export function testsGrowRule(_judged: Judged): Draft[] {
  return [];
}
