import { z } from 'zod';
import { digestSchema } from '../domain/digest.ts';
import { issueNumberSchema, oidSchema } from '../domain/ids.ts';
import { onlyValue, parseTrailers, renderTrailers } from './trailers.ts';

const memberSchema = z.strictObject({
  kind: z.enum(['task', 'pull']),
  number: issueNumberSchema,
  candidate: oidSchema,
  /** Digest of the verdict key under which the member's candidate passed; null for an empty first build. */
  keyDigest: digestSchema.nullable(),
});

/** What a build's commit message says. `state` is the state commit that recorded this number and try. */
export const buildMessageSchema = z.strictObject({
  build: z.number().int().positive(),
  try: z.number().int().min(1),
  members: z.array(memberSchema),
  policyDigest: digestSchema,
  state: oidSchema,
});
export type BuildMessage = z.infer<typeof buildMessageSchema>;

/** The message of a build commit. The same input gives the same bytes, so the same number and try give the same commit. */
export function renderBuildMessage(build: BuildMessage): string {
  return renderTrailers(`ccd: build ${build.build}, try ${build.try}`, [
    ['Ccd-Build', String(build.build)],
    ['Ccd-Try', String(build.try)],
    ...build.members.map(
      ({ kind, number, candidate, keyDigest }) =>
        ['Ccd-Member', `${kind} ${number} ${candidate} ${keyDigest ?? 'none'}`] as const,
    ),
    ['Ccd-Policy', build.policyDigest],
    ['Ccd-State', build.state],
  ]);
}

/**
 * Null for every message that `renderBuildMessage` could not have written. Anybody can copy a message: that a build is ours is
 * known from state and refs, not from here.
 */
export function parseBuildMessage(message: string): BuildMessage | null {
  const parsed = parseTrailers(message);
  if (parsed === null) return null;
  const read = buildMessageSchema.safeParse({
    build: Number(onlyValue(parsed.trailers, 'Ccd-Build') ?? Number.NaN),
    try: Number(onlyValue(parsed.trailers, 'Ccd-Try') ?? Number.NaN),
    members: parsed.trailers.filter(([key]) => key === 'Ccd-Member').map(([, value]) => readMember(value)),
    policyDigest: onlyValue(parsed.trailers, 'Ccd-Policy'),
    state: onlyValue(parsed.trailers, 'Ccd-State'),
  });
  return read.success && renderBuildMessage(read.data) === message ? read.data : null;
}

function readMember(value: string): unknown {
  const [kind, number, candidate, keyDigest] = value.split(' ');
  return { kind, number: Number(number), candidate, keyDigest: keyDigest === 'none' ? null : keyDigest };
}
