import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { childEnvironment, type Environment } from '../host/environment.ts';
import type { Stage } from './stage.ts';

type ParentEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The whole environment of setup and tests: the allow-listed names, a fresh home and temporary folder, no colours, and the
 * tree's own programs first on the path. Install scripts of packages are off.
 */
export function runEnvironment(
  parent: ParentEnvironment,
  stage: Stage,
  folders: readonly string[],
): Environment {
  const programs = [...folders, ''].map((folder) => join(stage.tree, folder, 'node_modules', '.bin'));
  const plain = childEnvironment(parent, {});
  return {
    ...plain,
    ...toolFolders(parent),
    PATH: [...new Set(programs), plain.PATH ?? '/usr/bin:/bin'].join(delimiter),
    HOME: stage.home,
    TMPDIR: stage.temp,
    TMP: stage.temp,
    TEMP: stage.temp,
    CI: 'true',
    NO_COLOR: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    npm_config_ignore_scripts: 'true',
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    YARN_ENABLE_SCRIPTS: '0',
  };
}

/** Without a network, package managers must fail at once and not wait for one. */
export const offline: Environment = { npm_config_offline: 'true', CARGO_NET_OFFLINE: 'true', GOPROXY: 'off' };

/** Tool chains that live in the home of the user; their programs are found from there. */
function toolFolders(parent: ParentEnvironment): Record<string, string> {
  const rustup = parent.RUSTUP_HOME ?? (parent.HOME === undefined ? undefined : join(parent.HOME, '.rustup'));
  return rustup !== undefined && existsSync(rustup) ? { RUSTUP_HOME: rustup } : {};
}
