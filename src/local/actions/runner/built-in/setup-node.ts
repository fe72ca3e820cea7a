import { dirname } from 'node:path';
import type { BuiltInAction } from './built-in-action.ts';

/** Stand-in for `actions/setup-node`: there is one Node here, the one that runs this; another version wanted is said aloud. */
export const setupNode: BuiltInAction = {
  inputs: {
    'node-version': '',
    'node-version-file': '',
    'check-latest': 'false',
    'always-auth': 'false',
    architecture: '',
    cache: '',
    'cache-dependency-path': '',
    'package-manager-cache': 'true',
    token: '',
  },
  main: async ({ world, inputs }) => {
    const wanted = inputs['node-version'] ?? '';
    const major = /\d+/.exec(wanted)?.[0];
    if (major !== undefined && major !== process.versions.node.split('.')[0]) {
      world.log.line(
        `##[warning]Node ${wanted} was asked for; the local runner has ${process.version} and uses it.`,
      );
    }
    if (inputs.cache !== '')
      world.log.line(
        '##[notice]cache: the local runner keeps no cache of a package manager; use actions/cache.',
      );
    world.path.unshift(dirname(process.execPath));
    return { outcome: 'success', outputs: { 'node-version': process.version, 'cache-hit': 'false' } };
  },
};
