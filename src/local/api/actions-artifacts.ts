import { repoAccess } from '../access.ts';
import type { ActionsParts } from '../actions/actions-routes.ts';
import type { Artifact } from '../actions/artifacts/artifact-store.ts';
import { presentArtifact } from '../actions/present/artifact.ts';
import { paginate } from '../paginate.ts';
import { noContent, notFound, ok, problem, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { artifactOf, runOf } from './actions-lookup.ts';

const READ = repoAccess('actions:read');
const ARTIFACT = '/repos/{owner}/{repo}/actions/artifacts/{artifact_id}';

/** Artifacts: list of a repository or a run (readable while the run goes on), get, download, delete. */
export function actionsArtifactsRoutes(parts: ActionsParts): readonly Route[] {
  const present = (ctx: Context, artifact: Artifact) =>
    presentArtifact(ctx.urls, artifact, parts.artifacts.isExpired(artifact));
  const list = (ctx: Context, all: readonly Artifact[]): Reply => {
    const name = ctx.query.get('name');
    const wanted = name === null ? all : all.filter((artifact) => artifact.name === name);
    const { items, headers } = paginate(ctx, wanted);
    return ok(
      { total_count: wanted.length, artifacts: items.map((artifact) => present(ctx, artifact)) },
      headers,
    );
  };
  const withArtifact =
    (answer: (artifact: Artifact, ctx: Context) => Reply): Route['handler'] =>
    (ctx) => {
      const artifact = artifactOf(parts, ctx);
      return artifact === undefined ? notFound() : answer(artifact, ctx);
    };
  return [
    {
      operationId: 'actions/list-artifacts-for-repo',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/artifacts',
      access: READ,
      handler: (ctx) => list(ctx, parts.artifacts.ofRepo(ctx.repo)),
    },
    {
      operationId: 'actions/list-workflow-run-artifacts',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
      access: READ,
      handler: (ctx) => {
        const run = runOf(parts, ctx);
        return run === undefined ? notFound() : list(ctx, parts.artifacts.ofRun(run));
      },
    },
    {
      operationId: 'actions/get-artifact',
      method: 'GET',
      path: ARTIFACT,
      access: READ,
      handler: withArtifact((artifact, ctx) => ok(present(ctx, artifact))),
    },
    {
      operationId: 'actions/delete-artifact',
      method: 'DELETE',
      path: ARTIFACT,
      access: repoAccess('actions:write'),
      handler: withArtifact((artifact) => {
        parts.artifacts.remove(artifact);
        return noContent();
      }),
    },
    {
      operationId: 'actions/download-artifact',
      method: 'GET',
      path: `${ARTIFACT}/{archive_format}`,
      access: READ,
      handler: withArtifact((artifact, ctx) => {
        if (ctx.params.archive_format !== 'zip') return notFound();
        if (parts.artifacts.isExpired(artifact)) return problem(410, 'Artifact has expired');
        return { status: 302, headers: { location: parts.results.downloadUrl(artifact) } };
      }),
    },
  ];
}
