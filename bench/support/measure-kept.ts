// Run by local-scale.bench.ts: opens a kept folder and tells figures as JSON. Arguments: folder, token of its owner.
import { Octokit } from '@octokit/rest';
import { openKept } from '../../src/local/saved/open-kept.ts';
import { type Figure, median, rounded, timed } from './figure.ts';

const r = { owner: 'acme', repo: 'demo' };

const QUERY = `query { repository(owner: "acme", name: "demo") {
  issues(first: 100, labels: ["ccd:dispatch"], states: [OPEN]) {
    totalCount
    nodes { number title body updatedAt labels(first: 20) { nodes { name } } author { login } }
  } } }`;
const PULLS_QUERY = `query { repository(owner: "acme", name: "demo") {
  pullRequests(last: 100, states: [OPEN]) { nodes { number title headRefName baseRefName headRefOid isDraft } } } }`;
const REFS_QUERY = `query { repository(owner: "acme", name: "demo") {
  refs(refPrefix: "refs/ccd/", first: 100) { totalCount nodes { name target { oid } } } } }`;

async function medianOf(count: number, task: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) times.push(await timed(() => task(index)));
  return rounded(median(times), 1);
}

const [dataDir = '', token = ''] = process.argv.slice(2);
const started = performance.now();
const kept = await openKept({ dataDir }, (fault) => {
  throw fault;
});
const figures: Figure[] = [
  { name: 'start', value: rounded(performance.now() - started), unit: 'ms', goal: '3,000' },
];
const octokit = new Octokit({ baseUrl: `${kept.github.url}/api/v3`, auth: token });
for (const [name, query] of [
  ['page of issues by label', QUERY],
  ['page of pull requests', PULLS_QUERY],
  ['page of refs', REFS_QUERY],
] as const) {
  const value = await medianOf(20, () => octokit.graphql(query));
  figures.push({ name: `GraphQL, ${name}`, value, unit: 'ms', goal: '50' });
}
const { object } = (await octokit.rest.git.getRef({ ...r, ref: 'heads/main' })).data;
const creating = await medianOf(20, (index) =>
  octokit.rest.git.createRef({ ...r, ref: `refs/heads/new/${index}`, sha: object.sha }),
);
const { tree } = (await octokit.rest.git.getCommit({ ...r, commit_sha: object.sha })).data;
const git = [...kept.github.store.repos.values()][0]!.git;
const committing = await medianOf(20, (index) => {
  const stamp = `T <t@example.com> ${1_800_000_000 + index} +0000`;
  const sha = git.write(
    'commit',
    Buffer.from(`tree ${tree.sha}\nparent ${object.sha}\nauthor ${stamp}\ncommitter ${stamp}\n\nn\n`),
  );
  return octokit.rest.git.createRef({ ...r, ref: `refs/heads/fresh/${index}`, sha });
});
figures.push(
  { name: 'a ref more, at a known commit', value: creating, unit: 'ms' },
  { name: 'a ref more, at a new commit', value: committing, unit: 'ms' },
  { name: 'memory', value: rounded(process.memoryUsage().rss / 1e6), unit: 'MB', goal: '500' },
);
await kept.close();
process.stdout.write(JSON.stringify(figures));
