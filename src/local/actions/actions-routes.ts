import { actionsArtifactsRoutes } from '../api/actions-artifacts.ts';
import { actionsCachesRoutes } from '../api/actions-caches.ts';
import { actionsDeploymentsRoutes } from '../api/actions-deployments.ts';
import { actionsJobsRoutes } from '../api/actions-jobs.ts';
import { actionsRunsRoutes } from '../api/actions-runs.ts';
import { actionsWorkflowsRoutes } from '../api/actions-workflows.ts';
import { repositoryDispatchRoutes } from '../api/repository-dispatch.ts';
import type { Route } from '../router.ts';
import type { Store } from '../store.ts';
import type { ArtifactStore } from './artifacts/artifact-store.ts';
import type { ResultsService } from './artifacts/results-service.ts';
import type { CacheStore } from './caches/cache-store.ts';
import type { RunEngine } from './runs/run-engine.ts';
import type { WorkflowFiles } from './trigger/workflow-files.ts';

/** What the REST operations of Actions work on. */
export interface ActionsParts {
  readonly store: Store;
  readonly engine: RunEngine;
  readonly files: WorkflowFiles;
  readonly artifacts: ArtifactStore;
  readonly caches: CacheStore;
  readonly results: ResultsService;
}

/** Every REST operation of Actions. */
export function actionsRoutes(parts: ActionsParts): readonly Route[] {
  return [
    ...actionsWorkflowsRoutes(parts),
    ...actionsRunsRoutes(parts),
    ...actionsJobsRoutes(parts),
    ...actionsArtifactsRoutes(parts),
    ...actionsCachesRoutes(parts),
    ...actionsDeploymentsRoutes(parts),
    ...repositoryDispatchRoutes(parts),
  ];
}
