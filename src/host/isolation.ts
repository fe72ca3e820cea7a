import type { Isolation } from '../domain/contract.ts';
import { innerPortLines } from './inner-port.ts';
import { placesInOrder } from './named-places.ts';
import {
  becomeProgram,
  cleanStart,
  type NamespacePlan,
  namespaceScript,
  networkLines,
  newUserNamespace,
} from './namespace-script.ts';

/** A way of starting a program that closes something; `none` closes nothing. */
export interface Isolator {
  /** What it may call itself: `sandbox` only with a network that can be closed. */
  readonly level: Isolation;
  readonly name: 'own-user' | 'namespaces' | 'bubblewrap' | 'pid-namespace' | 'none';
  /** True when the network can really be taken away, but loopback and what is let through. */
  readonly closesNetwork: boolean;
}

/** Strongest first. Which of them work is found by trying. */
export const isolators: readonly Isolator[] = [
  { level: 'sandbox', name: 'own-user', closesNetwork: true },
  { level: 'sandbox', name: 'namespaces', closesNetwork: true },
  { level: 'sandbox', name: 'bubblewrap', closesNetwork: true },
  { level: 'pid-namespace', name: 'own-user', closesNetwork: false },
  { level: 'pid-namespace', name: 'namespaces', closesNetwork: false },
  { level: 'pid-namespace', name: 'pid-namespace', closesNetwork: true },
  { level: 'pid-namespace', name: 'pid-namespace', closesNetwork: false },
  { level: 'none', name: 'none', closesNetwork: false },
];

/** It dies with this process, and with it all that it started. */
const unshare = ['setpriv', '--pdeathsig=SIGKILL', 'unshare'] as const;
const newProcesses = ['--pid', '--fork', '--kill-child=SIGKILL'];

/** The command line that runs `argv` isolated. Pure: the plan says what is closed. */
export function isolatedArgv(
  isolator: Isolator,
  argv: readonly [string, ...string[]],
  asked: NamespacePlan,
  cwd: string,
): [string, ...string[]] {
  const plan = {
    ...asked,
    network: isolator.closesNetwork ? asked.network : true,
    user: isolator.name === 'own-user' ? asked.user : null,
  };
  const network = plan.network === true ? [] : ['--net'];
  switch (isolator.name) {
    case 'none':
      return [...argv];
    case 'pid-namespace': {
      const lines = [...networkLines(plan.network), ...cleanStart, `exec ${becomeProgram(plan)}`];
      return [
        ...unshare,
        ...newUserNamespace(plan),
        ...newProcesses,
        ...network,
        '--mount-proc',
        ...shell(lines),
        ...argv,
      ];
    }
    case 'own-user':
    case 'namespaces': {
      const user = isolator.name === 'namespaces' ? newUserNamespace(plan) : [];
      const lines = [namespaceScript(plan, cwd)];
      return [...unshare, ...user, ...newProcesses, '--mount', '--ipc', ...network, ...shell(lines), ...argv];
    }
    case 'bubblewrap': {
      const port =
        typeof plan.network === 'boolean' ? [] : innerPortLines(process.execPath, plan.network.port);
      const lines = [...port, ...cleanStart, 'exec "$@"'];
      return ['bwrap', ...bubblewrapOptions(plan, cwd), '--', ...shell(lines), ...argv];
    }
  }
}

function shell(lines: readonly string[]): string[] {
  return ['/bin/sh', '-c', lines.join('\n'), 'ccd-sandbox'];
}

function bubblewrapOptions(plan: NamespacePlan, cwd: string): string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--cap-drop', 'ALL'],
    ...(plan.network === true ? [] : ['--unshare-net']),
    ...['--ro-bind', '/', '/', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...['--dev', '/dev', '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...placesInOrder(plan).flatMap(({ path, kind, how }) => {
      if (how === 'writable') return ['--bind', path, path];
      if (how === 'readable') return ['--ro-bind', path, path];
      return kind === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
    }),
    ...plan.hidden.flatMap(({ path, kind }) => (kind === 'folder' ? ['--remount-ro', path] : [])),
    ...['--chdir', cwd],
  ];
}
