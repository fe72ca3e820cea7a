import type { Isolation } from '../domain/contract.ts';
import { placesInOrder } from './named-places.ts';
import { type NamespacePlan, namespaceScript } from './namespace-script.ts';

/** A way of starting a program that closes something; `none` closes nothing. */
export interface Isolator {
  readonly level: Isolation;
  readonly name: 'namespaces' | 'bubblewrap' | 'pid-namespace' | 'none';
  /** True when `network: false` of a run really takes the network away (and keeps loopback). */
  readonly closesNetwork: boolean;
}

/** Strongest first. Which of them work is found by trying. */
export const isolators: readonly Isolator[] = [
  { level: 'sandbox', name: 'namespaces', closesNetwork: true },
  { level: 'sandbox', name: 'bubblewrap', closesNetwork: true },
  { level: 'sandbox', name: 'namespaces', closesNetwork: false },
  { level: 'pid-namespace', name: 'pid-namespace', closesNetwork: false },
  { level: 'none', name: 'none', closesNetwork: false },
];

const newNamespaces = ['unshare', '--user', '--map-current-user', '--pid', '--fork', '--kill-child=SIGKILL'];

/** The command line that runs `argv` isolated. Pure: the plan says what is closed. */
export function isolatedArgv(
  isolator: Isolator,
  argv: readonly [string, ...string[]],
  plan: NamespacePlan,
  cwd: string,
): [string, ...string[]] {
  const open = plan.network || !isolator.closesNetwork;
  switch (isolator.name) {
    case 'none':
      return [...argv];
    case 'pid-namespace':
      return withProgram([...newNamespaces, '--mount-proc', ...argv]);
    case 'namespaces': {
      const script = namespaceScript({ ...plan, network: open }, cwd);
      const network = open ? [] : ['--net'];
      return withProgram([
        ...newNamespaces,
        '--mount',
        '--ipc',
        ...network,
        '/bin/sh',
        '-c',
        script,
        'ccd-sandbox',
        ...argv,
      ]);
    }
    case 'bubblewrap':
      return withProgram(['bwrap', ...bubblewrapOptions({ ...plan, network: open }, cwd), '--', ...argv]);
  }
}

function bubblewrapOptions(plan: NamespacePlan, cwd: string): string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--cap-drop', 'ALL'],
    ...(plan.network ? [] : ['--unshare-net']),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...placesInOrder(plan).flatMap(({ path, kind, how }) => {
      if (how === 'writable') return ['--bind', path, path];
      if (how === 'readable') return ['--ro-bind', path, path];
      return kind === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
    }),
    ...['--chdir', cwd],
  ];
}

function withProgram(words: string[]): [string, ...string[]] {
  const [program = '', ...args] = words;
  return [program, ...args];
}
