// Run by guard-static.bench.ts: judges `base` and `head` of a repository once and tells figures as JSON. Argument: its folder.
import { judgeTrees } from '../../src/app/judge/judge-trees.ts';
import { loadParsers, wasmOfPackages } from '../../src/guard/parse/load-parsers.ts';
import { loadPolicy } from '../../src/policy/load-policy.ts';
import { parseSpec } from '../../src/spec/parse-spec.ts';

const [repoDir = ''] = process.argv.slice(2);
const policy = loadPolicy('version: 1\n');
if (policy.kind === 'invalid') throw new Error(JSON.stringify(policy.problems));
const body =
  '### Kind\n\nfeature\n\n### Objective\n\nmore\n\n### Allowed paths\n\n- src/\n- test/\n- tests/\n- pkg/\n\n### Target tests\n\n- test/m3/f3.test.ts::more3x10 adds up\n\n### Test command\n\nnpm test\n';
const parsed = parseSpec(body, policy.policy, { repository: 'a/b', issue: 1 });
if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
const parsers = await loadParsers(wasmOfPackages());
const started = performance.now();
const before = process.cpuUsage();
const input = {
  repoDir,
  judged: 'candidate' as const,
  base: 'base',
  head: 'head',
  spec: parsed.spec,
  policy: policy.policy,
};
const { statics } = await judgeTrees(input, parsers);
const used = process.cpuUsage(before);
if (statics.kind !== 'judged') throw new Error(JSON.stringify(statics));
const kinds = new Map<string, number>();
for (const { rule, class: kind } of statics.findings)
  kinds.set(`${rule} ${kind}`, (kinds.get(`${rule} ${kind}`) ?? 0) + 1);
process.stderr.write(`${JSON.stringify(Object.fromEntries(kinds))}\n`);
process.stdout.write(
  JSON.stringify({
    ms: performance.now() - started,
    cpuMs: (used.user + used.system) / 1000,
    rssMb: process.resourceUsage().maxRSS / 1024,
    findings: statics.findings.length,
  }),
);
