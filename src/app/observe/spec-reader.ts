import type { ObservedIssue } from '../../domain/snapshot.ts';
import type { RepoName } from '../../github/repo-name.ts';
import type { Policy } from '../../policy/policy.ts';
import { type ParsedSpec, parseSpec } from '../../spec/parse-spec.ts';

/** Reads specs under one policy, each body once. */
export function specReader(policy: Policy, name: RepoName): (issue: ObservedIssue) => ParsedSpec {
  const read = new Map<string, ParsedSpec>();
  return (issue) => {
    const key = `${issue.number} ${issue.bodyDigest}`;
    const known = read.get(key);
    if (known !== undefined) return known;
    const parsed = parseSpec(issue.body, policy, {
      repository: `${name.owner}/${name.name}`,
      issue: issue.number,
    });
    read.set(key, parsed);
    return parsed;
  };
}
