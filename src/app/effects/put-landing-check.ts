import type { Effect } from '../../domain/command.ts';
import { createCheck } from '../../github/apply/create-check.ts';
import { updateCheck } from '../../github/apply/update-check.ts';
import type { WriteOutcome } from '../../github/apply/write-outcome.ts';
import { renderLandingCheck } from '../../text/landing-check.ts';
import { buildOf } from '../compute/compose-build.ts';
import type { ComputeInput } from '../compute/compute-input.ts';
import { landingCheckName } from '../observe/observe-projections.ts';

type Request = Extract<Effect, { kind: 'put-landing-check' }>;

/** Shows on a build what was proven of it; its external id is the verdict's key, which landing compares with state. */
export async function putLandingCheck(input: ComputeInput, request: Request): Promise<WriteOutcome> {
  const { client, name, memory } = input.context;
  const build = buildOf(input, request.build);
  const verdict = build.verdict?.verdict ?? 'could-not-judge';
  const output = renderLandingCheck({
    build: build.number,
    try: build.try,
    base: build.base,
    members: build.members,
    verdict,
    findings: memory.verdicts.get(request.keyDigest)?.findings ?? [],
    reason: build.verdict?.reason ?? null,
  });
  const content = {
    conclusion: verdict === 'pass' ? ('success' as const) : ('failure' as const),
    externalId: request.keyDigest,
    ...output,
  };
  return request.checkId === null
    ? createCheck(client, name, { ...content, name: landingCheckName, commit: request.commit })
    : updateCheck(client, name, { ...content, id: request.checkId });
}
