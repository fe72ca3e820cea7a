import type { BuiltInAction } from './built-in-action.ts';
import { cache, restoreCache, saveCache } from './cache.ts';
import { checkout } from './checkout.ts';
import { downloadArtifact } from './download-artifact.ts';
import { setupNode } from './setup-node.ts';
import { uploadArtifact } from './upload-artifact.ts';

/** The actions that need no mapping. */
export const BUILT_IN_ACTIONS: Readonly<Record<string, BuiltInAction>> = {
  'actions/cache': cache,
  'actions/cache/restore': restoreCache,
  'actions/cache/save': saveCache,
  'actions/checkout': checkout,
  'actions/setup-node': setupNode,
  'actions/upload-artifact': uploadArtifact,
  'actions/download-artifact': downloadArtifact,
};
