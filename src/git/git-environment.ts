/** One git configuration entry: key and value. */
export type GitConfig = readonly [key: string, value: string];

/** What may pass from our own environment into git: how to find it, and how this machine reaches the network. */
const inherited = [
  'PATH',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
] as const;

/** No path below a file can exist: whatever git looks for in its home, it finds nothing. */
const nowhere = '/dev/null';

/**
 * Attributes, hooks, filters and helpers are off: nothing in a repository runs a program or steers a merge. Renames are
 * spelt out because older versions of git merge with them whatever is configured; a merge checks its paths afterwards.
 */
const pinned: readonly GitConfig[] = [
  ['core.hooksPath', nowhere],
  ['core.attributesFile', nowhere],
  ['core.excludesFile', nowhere],
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['core.useReplaceRefs', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['core.bigFileThreshold', '16m'],
  ['credential.helper', ''],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['commit.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['push.followTags', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
  ['merge.renames', 'true'],
  ['merge.directoryRenames', 'false'],
  ['merge.conflictStyle', 'merge'],
  ['diff.renames', 'false'],
  ['protocol.allow', 'never'],
  ['protocol.http.allow', 'always'],
  ['protocol.https.allow', 'always'],
  ['protocol.file.allow', 'always'],
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
  ['pack.threads', '1'],
];

/**
 * The whole environment of a git child: an allow-list of ours, no system or user configuration, no prompt, and the pinned
 * configuration with `extra` after it. Configuration travels in variables, never in arguments, which other users can read.
 */
export function gitEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  extra: readonly GitConfig[],
): Record<string, string> {
  const environment: Record<string, string> = {
    HOME: nowhere,
    XDG_CONFIG_HOME: nowhere,
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: nowhere,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
  };
  for (const name of inherited) {
    const value = own[name];
    if (value !== undefined) environment[name] = value;
  }
  const entries = [...pinned, ...extra];
  environment.GIT_CONFIG_COUNT = String(entries.length);
  entries.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return environment;
}

/**
 * Configuration that authenticates requests to the server of `remoteUrl`, and to no other, by an installation token, with
 * the texts that must never be printed. Nothing for remotes that are not HTTP.
 */
export function tokenConfig(remoteUrl: string, token: string): { config: GitConfig[]; secrets: string[] } {
  if (token === '' || !/^https?:\/\//.test(remoteUrl)) return { config: [], secrets: [] };
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  const origin = new URL(remoteUrl).origin;
  return {
    config: [[`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`]],
    secrets: [token, basic],
  };
}
