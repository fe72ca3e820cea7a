import type { RepoVisit, View } from '../page.ts';

/** `/actions/runs/{id}/artifacts/{artifact}`: the artifact, to be saved. */
export function showArtifact({ store, repo, actions, params }: RepoVisit): View | null {
  const run = actions?.engine.runs.get(Number(params.id));
  if (actions === null || run?.repo !== repo) return null;
  const artifact = actions.artifacts.ofRun(run).find((one) => one.id === Number(params.artifact));
  if (artifact === undefined || artifact.expiresAt <= store.now()) return null;
  return {
    kind: 'file',
    type: 'application/octet-stream',
    name: `${artifact.name}.zip`,
    data: artifact.data,
  };
}
