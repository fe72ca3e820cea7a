import type { Waiver } from '../../domain/state.ts';
import type { ComputeInput } from './compute-input.ts';

/** Waivers that people gave on one issue. */
export function waiversOf(input: ComputeInput, issue: number): Waiver[] {
  return input.state.repository.waivers.filter((waiver) => waiver.issue === issue);
}
