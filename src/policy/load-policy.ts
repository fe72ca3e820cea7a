import type { z } from 'zod';
import { type Digest, digestValue } from '../domain/digest.ts';
import { type Policy, policySchema } from './policy.ts';
import { type Problem, problem } from './problem.ts';
import { readYamlMapping } from './yaml-mapping.ts';

export type LoadedPolicy =
  | { readonly kind: 'valid'; readonly policy: Policy; readonly digest: Digest }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/**
 * Reads the text of `.github/ccd.yml`; null stands for "no such file" and gives all defaults. Unknown keys, keys given twice and
 * YAML aliases are refused: a policy that is not understood must not be half obeyed.
 */
export function loadPolicy(yamlText: string | null): LoadedPolicy {
  const reading = readYamlMapping((yamlText ?? '').replace(/^\uFEFF/, ''), 'policy', 1);
  if (reading.problems.length > 0) return { kind: 'invalid', problems: reading.problems };
  const checked = policySchema.safeParse(
    Object.fromEntries(reading.entries.map(({ key, value }) => [key, value])),
  );
  if (!checked.success) {
    const lineOf = (key: PropertyKey | undefined) =>
      reading.entries.find((entry) => entry.key === key)?.line ?? null;
    return { kind: 'invalid', problems: checked.error.issues.map((issue) => problemOf(issue, lineOf)) };
  }
  return { kind: 'valid', policy: checked.data, digest: policyDigest(checked.data) };
}

/** Digest of a policy with its defaults filled in. */
export function policyDigest(policy: Policy): Digest {
  return digestValue(policy);
}

function problemOf(
  issue: z.core.$ZodIssue,
  lineOf: (key: PropertyKey | undefined) => number | null,
): Problem {
  const field = issue.path.length === 0 ? 'policy' : issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => JSON.stringify(key.slice(0, 60))).join(', ');
    return problem(field, 'unknown-key', `Unknown: ${keys}.`, lineOf(issue.path[0] ?? issue.keys[0]));
  }
  return problem(field, 'wrong-value', `${issue.message}.`, lineOf(issue.path[0]));
}
