import type { Computation } from '../../domain/command.ts';
import type { ComputationOutcome } from '../../domain/outcome.ts';
import { composeBuild } from './compose-build.ts';
import type { ComputeInput } from './compute-input.ts';
import { importHandover } from './import-handover.ts';
import { judgeBuild } from './judge-build.ts';
import { judgeCandidate } from './judge-candidate.ts';
import { land } from './land.ts';
import { publishRefused } from './publish-refused.ts';
import { readReport } from './read-report.ts';

export type { ComputeInput };

/** Carries out one computation. It changes nothing outside the app's own clone. */
export async function compute(input: ComputeInput, computation: Computation): Promise<ComputationOutcome> {
  switch (computation.kind) {
    case 'import-handover':
      return importHandover(input, computation);
    case 'read-report':
      return readReport(input, computation);
    case 'publish-refused':
      return publishRefused(input, computation.issue);
    case 'judge-candidate':
      return judgeCandidate(input, computation);
    case 'compose-build':
      return composeBuild(input, computation.number);
    case 'judge-build':
      return judgeBuild(input, computation);
    case 'land':
      return land(input, computation.number);
    case 'move-refs':
      return { kind: 'refs-moved', moves: computation.moves };
  }
}
