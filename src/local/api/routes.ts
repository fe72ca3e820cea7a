import type { Route } from '../router.ts';
import { metaRoutes } from './meta.ts';

/** Every REST operation of the core; Actions mounts its own. */
export const CORE_ROUTES: readonly Route[] = [...metaRoutes];
