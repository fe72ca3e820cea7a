import { type Digest, digestValue } from '../domain/digest.ts';
import type { Finding } from '../domain/verdict.ts';

/** What a waiver covers: one finding with all its inputs. Who may give one is decided where it is taken in. */
export interface WaivedFingerprint {
  readonly fingerprint: Digest;
}

/** Findings that stand, and those that a person has waived. */
export function applyWaivers(
  findings: readonly Finding[],
  waivers: readonly WaivedFingerprint[],
): { standing: Finding[]; waived: Finding[] } {
  const covered = new Set(waivers.map(({ fingerprint }) => fingerprint));
  return {
    standing: findings.filter(({ fingerprint }) => !covered.has(fingerprint)),
    waived: findings.filter(({ fingerprint }) => covered.has(fingerprint)),
  };
}

/** Digest of the set of waivers that a verdict was made under: order and repetition do not count. */
export function waiversDigest(waivers: readonly WaivedFingerprint[]): Digest {
  return digestValue([...new Set(waivers.map(({ fingerprint }) => fingerprint))].sort());
}
