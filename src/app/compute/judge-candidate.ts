import type { Computation } from '../../domain/command.ts';
import { digestValue } from '../../domain/digest.ts';
import { factsSchema } from '../../domain/facts.ts';
import type { ComputationOutcome } from '../../domain/outcome.ts';
import { statePaths, type VerdictState, verdictStateSchema } from '../../domain/state.ts';
import { guardVersion, type Verdict, verdictKeyDigest } from '../../domain/verdict.ts';
import { readStateFile } from '../../git/state-branch.ts';
import { judgeFacts } from '../../guard/facts/judge-facts.ts';
import { type FactsPart, judge } from '../../guard/judge.ts';
import { waiversDigest } from '../../guard/waivers.ts';
import { specDigest } from '../../spec/digest.ts';
import { type ComputeInput, missing, specOf, taskOf } from './compute-input.ts';
import { downloadFiles, jsonOf } from './download.ts';
import { foundOf } from './publish-tree.ts';
import { waiversOf } from './waivers.ts';

/** Facts of large suites, with many runs, are long. */
const mostFactsBytes = 96 * 1024 * 1024;

type Request = Extract<Computation, { kind: 'judge-candidate' }>;

export const factsFile = 'facts.json';

/** Judges a candidate against its own base: static rules first, execution only when they found nothing. */
export async function judgeCandidate(input: ComputeInput, request: Request): Promise<ComputationOutcome> {
  const { issue } = request;
  const { context, snapshot, policy } = input;
  const candidate = taskOf(input, issue).candidate;
  if (candidate === null) throw missing(`a candidate of ${issue}`);
  const spec = specOf(input, issue);
  const { statics, need } = await context.judge({
    repoDir: context.clone.dir,
    judged: 'candidate',
    base: candidate.base,
    head: candidate.oid,
    spec,
    policy,
  });
  const waivers = waiversOf(input, issue);
  const standing = statics.kind === 'judged' ? judgeStanding(statics.findings, waivers) : 1;
  const wantsFacts = statics.kind === 'judged' && standing === 0 && need.kind === 'plan';
  if (wantsFacts && request.factsArtifact === null && !request.factsMissing) {
    return { kind: 'candidate-needs-facts', issue, planDigest: digestValue(need.plan) };
  }
  const read = wantsFacts ? await readFacts(input, request.factsArtifact) : null;
  const facts: FactsPart = !wantsFacts
    ? need.kind === 'could-not'
      ? { kind: 'missing', reason: need.reason }
      : { kind: 'none-needed' }
    : read === null
      ? { kind: 'missing', reason: 'No facts were delivered.' }
      : judgeFacts({ plan: need.plan, facts: read, spec });
  const verdict = judge({
    key: {
      judged: 'candidate',
      baseTree: candidate.baseTree,
      headTree: candidate.tree,
      policyDigest: snapshot.policyDigest,
      specDigest: specDigest(spec),
      waiversDigest: waiversDigest(waivers),
      guardVersion,
      runnerImage: imageOf(read),
    },
    try: request.try,
    statics,
    facts,
    waivers,
  });
  return { kind: 'candidate-judged', issue, verdict: await writeOnce(input, verdict) };
}

function judgeStanding(
  findings: readonly { readonly fingerprint: string }[],
  waivers: readonly { readonly fingerprint: string }[],
): number {
  const waived = new Set(waivers.map((waiver) => waiver.fingerprint));
  return findings.filter((finding) => !waived.has(finding.fingerprint)).length;
}

/** What a facts job delivered, or null. Anything at all may be in it. */
export async function readFacts(input: ComputeInput, artifactId: number | null): Promise<unknown> {
  if (artifactId === null) return null;
  const download = await downloadFiles(input.context, artifactId);
  return download.kind === 'files' ? jsonOf(download.files, factsFile, mostFactsBytes) : null;
}

export function imageOf(facts: unknown): string {
  const parsed = factsSchema.safeParse(facts);
  return parsed.success ? parsed.data.runnerImage : 'none';
}

/**
 * A pass or a fail stands for ever under its key: when the state holds one already, that one is the verdict. The text of the
 * findings is remembered for the check run.
 */
export async function writeOnce(input: ComputeInput, verdict: Verdict): Promise<VerdictState> {
  const { context, snapshot } = input;
  const keyDigest = verdictKeyDigest(verdict.key);
  const standing = await readStateFile(
    context.clone.objects,
    snapshot.stateHead,
    statePaths.verdict(keyDigest),
    verdictStateSchema,
  );
  context.memory.verdicts.set(keyDigest, verdict);
  if (standing.kind === 'read' && standing.value.verdict !== 'could-not-judge') return standing.value;
  return {
    keyDigest,
    verdict: verdict.verdict,
    try: verdict.try,
    reason: verdict.reason === null ? null : toWord(verdict.reason),
    findings: foundOf(verdict.findings),
    judgedAt: new Date(snapshot.now).toISOString(),
  };
}

/** A sentence as a word for the state, which holds no prose. */
export function toWord(sentence: string): string {
  const word = sentence
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return word === '' ? 'unknown' : word;
}
