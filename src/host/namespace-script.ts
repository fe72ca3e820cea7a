import { innerPortLines, type NetworkAccess } from './inner-port.ts';
import { cleanProgram, type MountStep, mountProgram, mountTrial } from './mount-program.ts';
import { shellStep } from './mount-shell.ts';
import { placesInOrder } from './named-places.ts';
import { ownDevices, ownProcesses } from './own-devices.ts';
import { shellQuote } from './shell-quote.ts';

export interface NamespacePlan {
  /** An empty folder of the parent's: the new root is put together there. */
  readonly stage: string;
  /** Existing folders (absolute) that stay writable; everything else but /tmp, /proc and devices is read-only. */
  readonly writable: readonly string[];
  /** Existing folders, files or sockets (absolute) that are replaced by nothing. */
  readonly hidden: readonly { readonly path: string; readonly kind: 'folder' | 'file' }[];
  /** Existing folders or files that stay readable although they lie in a hidden place or in /tmp. */
  readonly readable: readonly { readonly path: string; readonly kind: 'folder' | 'file' }[];
  readonly network: NetworkAccess;
  /** The user and group that the program becomes; null: it stays who starts it. Needs root. */
  readonly user: number | null;
  /** Who starts it. */
  readonly caller: { readonly uid: number; readonly gid: number };
}

/** Turns the loopback device on: a new network namespace has it off. Whichever program exists does it. */
const loopbackUp = [
  'ip link set lo up 2>/dev/null',
  `perl -e 'use Socket;socket(S,PF_INET,SOCK_DGRAM,0)||exit 1;ioctl(S,0x8914,pack("a16s","lo",65))||exit 1' 2>/dev/null`,
  `python3 -c 'import fcntl,socket,struct;fcntl.ioctl(socket.socket(),0x8914,struct.pack("16sh",b"lo",65))' 2>/dev/null`,
].join(' || ');

const dropAll = '--no-new-privs --bounding-set=-all --inh-caps=-all --';

/**
 * The last command of every script: drops every capability for good, so that what the program then mounts or unmounts is
 * refused, and becomes the user. The death signal is asked for again, because a change of user drops that, too. Who is not
 * root has built the place as root of a user namespace, and finds its own number again in another one inside.
 */
export function becomeProgram({ user, caller }: Pick<NamespacePlan, 'user' | 'caller'>): string {
  if (user !== null)
    return `setpriv --reuid=${user} --regid=${user} --clear-groups --pdeathsig=SIGKILL ${dropAll} "$@"`;
  if (caller.uid === 0) return `setpriv ${dropAll} "$@"`;
  const same = `--map-user=${caller.uid} --map-group=${caller.gid}`;
  // Capabilities are gone with the change of number; mapping number 0 needs them before.
  return `unshare --user ${same} -- setpriv --no-new-privs --inh-caps=-all -- "$@"`;
}

/** Options of unshare(1) for a user namespace in which mounts can be made. */
export function newUserNamespace({ caller }: Pick<NamespacePlan, 'caller'>): string[] {
  // mount(8) works for number 0 alone, whatever the capabilities.
  return caller.uid === 0 ? ['--user', '--map-current-user'] : ['--user', '--map-root-user'];
}

/**
 * Shell lines that put two things in front of the program: open files that the runner left to its children are closed, and the
 * session's key ring, which goes on to children whoever they become, is replaced by an empty one. Where there is no perl, both
 * stay; the probe tells.
 */
export const cleanStart = [
  `if command -v perl >/dev/null 2>&1; then set -- perl -e ${shellQuote(cleanProgram)} "$@"; fi`,
];

/**
 * Shell text that runs as first process of new user, process and mount namespaces: builds a root that is read-only but
 * for the named folders, with /tmp, /dev and /proc of its own, enters it, drops all capabilities, becomes "$@" in `cwd`.
 */
export function namespaceScript(plan: NamespacePlan, cwd: string): string {
  const steps = mountSteps(plan, cwd);
  return [
    'set -e',
    ...networkLines(plan.network),
    ...quickLines(steps, becomeProgram(plan)),
    ...steps.map(shellStep),
    ...cleanStart,
    `exec ${becomeProgram(plan)}`,
  ].join('\n');
}

function mountSteps(plan: NamespacePlan, cwd: string): MountStep[] {
  const root = plan.stage;
  const at = (path: string) => `${root}${path}`;
  return [
    ['private'],
    ['root', root],
    // Bounded: what is written there is memory of the machine.
    ['tmpfs', at('/tmp'), 'mode=1777,size=2g'],
    ...ownDevices(at),
    ...placesInOrder(plan).map(
      ({ path, kind, how }): MountStep =>
        how === 'hidden' ? ['hide', at(path), kind] : ['bind', path, at(path), kind, how],
    ),
    ...ownProcesses(at),
    ['enter', root, cwd],
  ];
}

/** All steps by one program, where it can be had; the shell that runs this then becomes it. */
function quickLines(steps: readonly MountStep[], become: string): string[] {
  const words = steps.flat().map(shellQuote).join(' ');
  return [
    `if perl -e ${shellQuote(mountTrial)} 2>/dev/null; then exec perl -e ${shellQuote(mountProgram)} ${words} exec ${become}; fi`,
  ];
}

/** Shell lines that prepare a network namespace of its own; none where the network stays the machine's. */
export function networkLines(network: NetworkAccess): string[] {
  if (network === true) return [];
  return [
    `{ ${loopbackUp}; } || exit 126`,
    ...(network === false ? [] : innerPortLines(process.execPath, network.port)),
  ];
}
