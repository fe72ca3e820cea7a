import type { Route } from '../router.ts';
import { appRoutes } from './apps.ts';
import { checkRoutes } from './checks.ts';
import { commentRoutes } from './comments.ts';
import { commitRoutes } from './commits.ts';
import { dependencyRoutes } from './dependencies.ts';
import { gitDataRoutes } from './git-data.ts';
import { graphqlRoutes } from './graphql.ts';
import { issueRoutes } from './issues.ts';
import { labelRoutes } from './labels.ts';
import { lockRoutes } from './locks.ts';
import { mergeRoutes } from './merges.ts';
import { metaRoutes } from './meta.ts';
import { pullRoutes } from './pulls.ts';
import { repoCreationRoutes } from './repo-creation.ts';
import { repoSettingsRoutes } from './repo-settings.ts';
import { repoRoutes } from './repos.ts';
import { reviewRoutes } from './reviews.ts';
import { rulesetRoutes } from './rulesets.ts';
import { statusRoutes } from './statuses.ts';
import { subIssueRoutes } from './sub-issues.ts';
import { userRoutes } from './users.ts';

/** Every REST operation of the core; Actions mounts its own. */
export const CORE_ROUTES: readonly Route[] = [
  ...metaRoutes,
  ...graphqlRoutes,
  ...appRoutes,
  ...userRoutes,
  ...repoRoutes,
  ...repoCreationRoutes,
  ...repoSettingsRoutes,
  ...gitDataRoutes,
  ...commitRoutes,
  ...issueRoutes,
  ...labelRoutes,
  ...lockRoutes,
  ...commentRoutes,
  ...dependencyRoutes,
  ...subIssueRoutes,
  ...pullRoutes,
  ...mergeRoutes,
  ...reviewRoutes,
  ...checkRoutes,
  ...statusRoutes,
  ...rulesetRoutes,
];
