import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { isAncestor } from '../git/ancestry.ts';
import { logCommits } from '../git/commit-log.ts';
import { isOid, ZERO_OID } from '../git/oid.ts';
import { parseTree } from '../git/tree.ts';
import { nodeId } from '../node-id.ts';
import { presentGitCommit } from '../present/commit.ts';
import { moveRefs } from '../refs/move-refs.ts';
import { created, noContent, notFound, ok, problem, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { withBody } from './handle.ts';
import { refusalReply } from './refusals.ts';

const api = (ctx: Context): string => ctx.urls.repoApi(ctx.repo);

async function presentRef(ctx: Context, ref: string, oid: string) {
  // Branches hold commits only: a list of thousands of them reads no object.
  const isBranch = ref.startsWith('refs/heads/');
  const type = isBranch ? 'commit' : ((await ctx.repo.git.object(oid))?.type ?? 'commit');
  return {
    ref,
    node_id: `REF_${Buffer.from(ref).toString('base64url')}`,
    url: `${api(ctx)}/git/${ref}`,
    object: { sha: oid, type, url: `${api(ctx)}/git/${type}s/${oid}` },
  };
}

async function getRef(ctx: Context): Promise<Reply> {
  const ref = `refs/${ctx.params.ref}`;
  const oid = await ctx.repo.git.ref(ref);
  return oid ? ok(await presentRef(ctx, ref, oid)) : notFound();
}

async function matchingRefs(ctx: Context): Promise<Reply> {
  const found = await ctx.repo.git.refs(`refs/${ctx.params.ref}`);
  return ok(await Promise.all(found.map(({ name, oid }) => presentRef(ctx, name, oid))));
}

const CreateRef = z.object({ ref: z.string(), sha: z.string() });

async function createRef(ctx: Context, body: z.infer<typeof CreateRef>): Promise<Reply> {
  if (!/^refs\/.+\/.+/.test(body.ref))
    return unprocessable("Reference name must start with 'refs/' and contain two slashes");
  if (!isOid(body.sha) || !(await ctx.repo.git.object(body.sha)))
    return unprocessable('Object does not exist');
  const update = { ref: body.ref, oldOid: ZERO_OID, newOid: body.sha };
  const [outcome] = await moveRefs(ctx.store, ctx.repo, ctx.principal, [update], { atomic: true });
  if (outcome!.kind === 'moved') return created(await presentRef(ctx, body.ref, body.sha));
  if (outcome!.cause === 'stale') return unprocessable('Reference already exists');
  return refusalReply(outcome!);
}

const UpdateRef = z.object({ sha: z.string(), force: z.boolean().default(false) });

async function updateRef(ctx: Context, body: z.infer<typeof UpdateRef>): Promise<Reply> {
  const ref = `refs/${ctx.params.ref}`;
  const before = await ctx.repo.git.ref(ref);
  if (!before) return unprocessable('Reference does not exist');
  if (!isOid(body.sha) || !(await ctx.repo.git.object(body.sha)))
    return unprocessable('Object does not exist');
  if (!body.force && !(await isAncestor(ctx.repo.git, before, body.sha)))
    return unprocessable('Update is not a fast forward');
  const update = { ref, oldOid: before, newOid: body.sha };
  const [outcome] = await moveRefs(ctx.store, ctx.repo, ctx.principal, [update], { atomic: true });
  return outcome!.kind === 'moved' ? ok(await presentRef(ctx, ref, body.sha)) : refusalReply(outcome!);
}

async function deleteRef(ctx: Context): Promise<Reply> {
  const ref = `refs/${ctx.params.ref}`;
  const before = await ctx.repo.git.ref(ref);
  if (!before) return unprocessable('Reference does not exist');
  const update = { ref, oldOid: before, newOid: ZERO_OID };
  const [outcome] = await moveRefs(ctx.store, ctx.repo, ctx.principal, [update], { atomic: true });
  return outcome!.kind === 'moved' ? noContent() : refusalReply(outcome!);
}

async function getCommit(ctx: Context): Promise<Reply> {
  const oid = ctx.params.commit_sha ?? '';
  if (!isOid(oid) || (await ctx.repo.git.object(oid))?.type !== 'commit') return notFound();
  const [commit] = await logCommits(ctx.repo.git, [oid], {}, 1);
  return ok(presentGitCommit(ctx.store, ctx.repo, commit!));
}

async function getBlob(ctx: Context): Promise<Reply> {
  const oid = ctx.params.file_sha ?? '';
  const object = isOid(oid) ? await ctx.repo.git.object(oid) : null;
  if (object?.type !== 'blob') return notFound();
  return ok({
    sha: oid,
    node_id: nodeId('B', Number.parseInt(oid.slice(0, 12), 16)),
    size: object.content.length,
    url: `${api(ctx)}/git/blobs/${oid}`,
    content: object.content.toString('base64'),
    encoding: 'base64',
  });
}

/** GitHub cuts recursive trees at 100,000 entries; nothing here grows so large. */
async function getTree(ctx: Context): Promise<Reply> {
  const asked = ctx.params.tree_sha ?? '';
  const revision = isOid(asked) ? asked : ((await ctx.repo.git.ref(`refs/heads/${asked}`)) ?? '');
  const tree = revision ? await ctx.repo.git.object(`${revision}^{tree}`) : null;
  if (!tree) return notFound();
  const recursive = ctx.query.has('recursive');
  const entries = await walkTree(ctx, tree.content, '', recursive);
  return ok({ sha: tree.oid, url: `${api(ctx)}/git/trees/${tree.oid}`, tree: entries, truncated: false });
}

async function walkTree(
  ctx: Context,
  content: Buffer,
  prefix: string,
  recursive: boolean,
): Promise<object[]> {
  const found: object[] = [];
  for (const entry of parseTree(content)) {
    const path = `${prefix}${entry.name}`;
    const type = entry.mode === '040000' ? 'tree' : entry.mode === '160000' ? 'commit' : 'blob';
    const object = type === 'commit' ? null : await ctx.repo.git.object(entry.oid);
    const size = type === 'blob' ? { size: object!.content.length } : {};
    const url = type === 'commit' ? {} : { url: `${api(ctx)}/git/${type}s/${entry.oid}` };
    found.push({ path, mode: entry.mode, type, sha: entry.oid, ...size, ...url });
    if (recursive && type === 'tree') found.push(...(await walkTree(ctx, object!.content, `${path}/`, true)));
  }
  return found;
}

const CreateBlob = z.object({ content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') });

async function createBlob(ctx: Context, body: z.infer<typeof CreateBlob>): Promise<Reply> {
  const input = Buffer.from(body.content, body.encoding === 'base64' ? 'base64' : 'utf8');
  const sha = ctx.repo.git.write('blob', input);
  return created({ sha, url: `${api(ctx)}/git/blobs/${sha}` });
}

const tagless = (ctx: Context): Reply => problem(404, `Not Found: ${ctx.params.tag_sha}`);

async function getTag(ctx: Context): Promise<Reply> {
  const oid = ctx.params.tag_sha ?? '';
  const object = isOid(oid) ? await ctx.repo.git.object(oid) : null;
  if (object?.type !== 'tag') return tagless(ctx);
  const [head = '', ...rest] = object.content.toString('utf8').split('\n\n');
  const field = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(head)?.[1] ?? '';
  const tagger = /^(.*) <(.*)> (\d+)/.exec(field('tagger'));
  return ok({
    node_id: nodeId('T', Number.parseInt(oid.slice(0, 12), 16)),
    tag: field('tag'),
    sha: oid,
    url: `${api(ctx)}/git/tags/${oid}`,
    message: rest.join('\n\n').trimEnd(),
    tagger: {
      name: tagger?.[1] ?? '',
      email: tagger?.[2] ?? '',
      date: new Date(Number(tagger?.[3] ?? 0) * 1000).toISOString().replace('.000', ''),
    },
    object: {
      sha: field('object'),
      type: field('type'),
      url: `${api(ctx)}/git/${field('type')}s/${field('object')}`,
    },
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  });
}

const read = repoAccess('contents:read');
const write = repoAccess('contents:write');
const base = '/repos/{owner}/{repo}/git';

export const gitDataRoutes: readonly Route[] = [
  { operationId: 'git/get-ref', method: 'GET', path: `${base}/ref/{ref}`, access: read, handler: getRef },
  {
    operationId: 'git/list-matching-refs',
    method: 'GET',
    path: `${base}/matching-refs/{ref}`,
    access: read,
    handler: matchingRefs,
  },
  {
    operationId: 'git/create-ref',
    method: 'POST',
    path: `${base}/refs`,
    access: write,
    handler: withBody(CreateRef, createRef),
  },
  {
    operationId: 'git/update-ref',
    method: 'PATCH',
    path: `${base}/refs/{ref}`,
    access: write,
    handler: withBody(UpdateRef, updateRef),
  },
  {
    operationId: 'git/delete-ref',
    method: 'DELETE',
    path: `${base}/refs/{ref}`,
    access: write,
    handler: deleteRef,
  },
  {
    operationId: 'git/get-commit',
    method: 'GET',
    path: `${base}/commits/{commit_sha}`,
    access: read,
    handler: getCommit,
  },
  {
    operationId: 'git/get-blob',
    method: 'GET',
    path: `${base}/blobs/{file_sha}`,
    access: read,
    handler: getBlob,
  },
  {
    operationId: 'git/create-blob',
    method: 'POST',
    path: `${base}/blobs`,
    access: write,
    handler: withBody(CreateBlob, createBlob),
  },
  {
    operationId: 'git/get-tree',
    method: 'GET',
    path: `${base}/trees/{tree_sha}`,
    access: read,
    handler: getTree,
  },
  {
    operationId: 'git/get-tag',
    method: 'GET',
    path: `${base}/tags/{tag_sha}`,
    access: read,
    handler: getTag,
  },
];
