import { dependenciesOf, type PhaseConfig } from './pipeline.ts';

export type PhaseOrder<Phase> =
  | { readonly kind: 'ordered'; readonly phases: readonly Phase[] }
  /** The names of a circle, the first one again at its end. */
  | { readonly kind: 'cycle'; readonly names: readonly string[] }
  | { readonly kind: 'unknown'; readonly name: string };

type Ordered = Pick<PhaseConfig, 'name' | 'input' | 'depends_on'>;

/**
 * The phases in the order in which they run, each once and after all that it depends on; otherwise as they stand in the file.
 * With a target: that phase and what it needs.
 */
export function orderPhases<Phase extends Ordered>(
  phases: readonly Phase[],
  target: string | null = null,
): PhaseOrder<Phase> {
  const byName = new Map(phases.map((phase) => [phase.name, phase]));
  const ordered = new Set<Phase>();
  const visit = (name: string, above: readonly string[]): PhaseOrder<Phase> | null => {
    const phase = byName.get(name);
    if (phase === undefined) return { kind: 'unknown', name };
    if (above.includes(name)) return { kind: 'cycle', names: [...above.slice(above.indexOf(name)), name] };
    if (ordered.has(phase)) return null;
    for (const other of dependenciesOf(phase)) {
      const fault = visit(other, [...above, name]);
      if (fault !== null) return fault;
    }
    ordered.add(phase);
    return null;
  };
  for (const name of target === null ? byName.keys() : [target]) {
    const fault = visit(name, []);
    if (fault !== null) return fault;
  }
  return { kind: 'ordered', phases: [...ordered] };
}
