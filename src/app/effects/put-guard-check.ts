import type { Effect } from '../../domain/command.ts';
import type { VerdictState } from '../../domain/state.ts';
import type { Finding, VerdictWord } from '../../domain/verdict.ts';
import type { CheckConclusion, CheckContent } from '../../github/apply/check-fields.ts';
import { createCheck } from '../../github/apply/create-check.ts';
import { updateCheck } from '../../github/apply/update-check.ts';
import type { WriteOutcome } from '../../github/apply/write-outcome.ts';
import { toAnnotations } from '../../guard/annotations.ts';
import { applyWaivers } from '../../guard/waivers.ts';
import { renderGuardCheck } from '../../text/guard-check.ts';
import { type ComputeInput, specOf, taskOf } from '../compute/compute-input.ts';
import { findSecrets } from '../compute/find-secrets.ts';
import { waiversOf } from '../compute/waivers.ts';
import { guardCheckName } from '../observe/observe-projections.ts';

/** Ten requests' worth: whoever has to read more of them reads none. */
const mostAnnotations = 500;

type Request = Extract<Effect, { kind: 'put-guard-check' }>;

/** Shows on the candidate, or on the refused tree, what the guard says of it: its text is judged again from git where it is not at hand. */
export async function putGuardCheck(input: ComputeInput, request: Request): Promise<WriteOutcome> {
  const { client, name } = input.context;
  const content = await contentOf(input, request);
  return request.checkId === null
    ? createCheck(client, name, { ...content, name: guardCheckName, commit: request.commit })
    : updateCheck(client, name, { ...content, id: request.checkId });
}

async function contentOf(input: ComputeInput, request: Request): Promise<CheckContent> {
  const { verdict } = taskOf(input, request.issue);
  const remembered = verdict === null ? undefined : input.context.memory.verdicts.get(verdict.keyDigest);
  const all = remembered?.findings ?? (await staticFindings(input, request));
  const waivers = waiversOf(input, request.issue);
  const { standing, waived } = applyWaivers(all, waivers);
  const word = wordOf(verdict, standing, taskOf(input, request.issue).refused !== null);
  const output = renderGuardCheck({
    verdict: word ?? 'could-not-judge',
    findings: standing,
    reason:
      word === null
        ? 'The rules that need no execution found nothing; the tests are still to be executed.'
        : reasonOf(verdict),
    waived: waived.map((finding) => finding.fingerprint),
    staticOnly: verdict === null,
  });
  return {
    conclusion: conclusionOf(word),
    externalId: request.shown,
    title: word === null ? 'Static rules passed' : output.title,
    summary: output.summary,
    text: output.text,
    annotations: toAnnotations(standing).flat().slice(0, mostAnnotations),
  };
}

/** Null while only the static rules have spoken and found nothing. */
function wordOf(
  verdict: VerdictState | null,
  standing: readonly Finding[],
  refused: boolean,
): VerdictWord | null {
  if (verdict !== null && !refused) return verdict.verdict;
  return standing.length > 0 ? 'fail' : null;
}

function reasonOf(verdict: VerdictState | null): string | null {
  return verdict?.verdict === 'could-not-judge' ? (verdict.reason ?? null) : null;
}

function conclusionOf(word: VerdictWord | null): CheckConclusion | null {
  if (word === null) return null;
  return word === 'pass' ? 'success' : word === 'fail' ? 'failure' : 'action_required';
}

async function staticFindings(input: ComputeInput, request: Request): Promise<readonly Finding[]> {
  const { context, policy } = input;
  const commit = await context.clone.objects.readCommit(request.commit);
  const [base] = commit.parents;
  if (base === undefined) return [];
  const judged = await context.judge({
    repoDir: context.clone.dir,
    judged: 'candidate',
    base,
    head: request.commit,
    spec: specOf(input, request.issue),
    policy,
  });
  const secrets = await findSecrets(context.clone, base, request.commit);
  return [...(judged.statics.kind === 'judged' ? judged.statics.findings : []), ...secrets];
}
