import { resolve, sep } from 'node:path';
import type { StepEnd } from '../job-world.ts';
import { runProcess } from '../run-process.ts';
import { type BuiltInAction, type BuiltInCall, failed } from './built-in-action.ts';

/** All values come by environment, so that nothing of them is ever read as shell. */
const SCRIPT = `
set -eu
mkdir -p "$DEST"
cd "$DEST"
if [ -d .git ]; then
  git config --local --unset-all "http.$SERVER/.extraheader" || true
  if [ "$CLEAN" = true ]; then git clean -ffdxq; git reset --hard -q HEAD 2>/dev/null || true; fi
  git remote set-url origin "$URL"
else
  git init -q .
  git remote add origin "$URL"
fi
git config --local gc.auto 0
git config --local "http.$SERVER/.extraheader" "AUTHORIZATION: basic $BASIC"
if [ -z "$COMMIT" ]; then
  case "$REF" in
    refs/*) ;;
    '') REF=$(git ls-remote --symref origin HEAD | sed -n 's/^ref: \\(.*\\)\\tHEAD$/\\1/p') ;;
    *) REF=$(git ls-remote origin "refs/heads/$REF" "refs/tags/$REF" | head -n 1 | cut -f 2) ;;
  esac
  if [ -z "$REF" ]; then echo "A branch or tag with the name '$WANTED' could not be found"; exit 1; fi
fi
case "$REF" in
  refs/heads/*) LOCAL="refs/remotes/origin/\${REF#refs/heads/}" ;;
  refs/pull/*) LOCAL="refs/remotes/pull/\${REF#refs/pull/}" ;;
  refs/tags/*) LOCAL="$REF" ;;
  *) LOCAL="refs/remotes/origin/ccd-checkout" ;;
esac
SOURCE="\${COMMIT:-$REF}"
set -- --no-tags --prune --no-recurse-submodules
if [ -n "$FILTER" ]; then set -- "$@" "--filter=$FILTER"; fi
if [ "$DEPTH" = 0 ]; then
  git -c protocol.version=2 fetch -q "$@" origin '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*'
else
  if [ "$TAGS" = true ]; then set -- "$@" '--tags'; fi
  set -- "$@" "--depth=$DEPTH"
fi
git -c protocol.version=2 fetch -q "$@" origin "+$SOURCE:$LOCAL"
case "$REF" in
  refs/heads/*) git checkout -q --force -B "\${REF#refs/heads/}" "$LOCAL" ;;
  *) git checkout -q --force --detach "$LOCAL" ;;
esac
if [ "$PERSIST" != true ]; then git config --local --unset-all "http.$SERVER/.extraheader"; fi
echo "ref=$REF" >> "$GITHUB_OUTPUT"
echo "commit=$(git rev-parse HEAD)" >> "$GITHUB_OUTPUT"
git log -1 --format=%H
`;

const FORGET = `
set -eu
if [ -d "$DEST/.git" ]; then
  cd "$DEST"
  git config --local --unset-all "http.$SERVER/.extraheader" || true
fi
`;

const INPUTS = {
  repository: '',
  ref: '',
  token: '',
  path: '.',
  clean: 'true',
  filter: '',
  'persist-credentials': 'true',
  'fetch-depth': '1',
  'fetch-tags': 'false',
  'show-progress': 'true',
  'set-safe-directory': 'true',
  submodules: 'false',
  lfs: 'false',
  'sparse-checkout': '',
} as const;

function target(call: BuiltInCall): { readonly ref: string; readonly commit: string } {
  const { inputs, world } = call;
  const wanted = inputs.ref ?? '';
  if (/^[0-9a-f]{40}$/i.test(wanted)) return { ref: '', commit: wanted };
  if (wanted !== '') return { ref: wanted, commit: '' };
  const here = world.defaults.GITHUB_REPOSITORY ?? '';
  const repository = inputs.repository || here;
  if (repository.toLowerCase() !== here.toLowerCase()) return { ref: '', commit: '' };
  return { ref: world.defaults.GITHUB_REF ?? '', commit: world.defaults.GITHUB_SHA ?? '' };
}

function destination(call: BuiltInCall): string | null {
  const { workspace } = call.world.paths;
  const path = resolve(workspace, call.inputs.path ?? '.');
  return path === workspace || path.startsWith(workspace + sep) ? path : null;
}

function environment(call: BuiltInCall, path: string): Record<string, string> {
  const { world, inputs } = call;
  const server = world.defaults.GITHUB_SERVER_URL ?? '';
  const repository = inputs.repository || world.defaults.GITHUB_REPOSITORY;
  const basic = Buffer.from(`x-access-token:${inputs.token || world.services.token}`).toString('base64');
  world.masks.add(basic);
  const { ref, commit } = target(call);
  return {
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    DEST: path,
    SERVER: server,
    URL: `${server}/${repository}`,
    BASIC: basic,
    REF: ref,
    WANTED: ref,
    COMMIT: commit,
    CLEAN: inputs.clean ?? '',
    DEPTH: inputs['fetch-depth'] ?? '1',
    TAGS: inputs['fetch-tags'] ?? '',
    FILTER: inputs.filter ?? '',
    PERSIST: inputs['persist-credentials'] ?? '',
  };
}

async function shell(call: BuiltInCall, script: string): Promise<StepEnd> {
  const path = destination(call);
  if (path === null)
    return failed(call, `Repository path '${call.inputs.path}' is not under '${call.world.paths.workspace}'`);
  return runProcess(call.world, {
    label: call.label,
    argv: ['bash', '--noprofile', '--norc', '-c', script],
    cwd: call.world.paths.workspace,
    env: { ...call.env, ...environment(call, path) },
    timeout: call.timeout,
    state: new Map(),
  });
}

/** Stand-in for `actions/checkout`: real git, over HTTP, with the job's token. */
export const checkout: BuiltInAction = {
  inputs: INPUTS,
  main: async (call) => {
    for (const name of ['submodules', 'lfs', 'sparse-checkout'] as const) {
      if (call.inputs[name] !== INPUTS[name])
        return failed(call, `with.${name}: not supported by the local runner`);
    }
    return shell(call, SCRIPT);
  },
  post: (call) => shell(call, FORGET),
};
