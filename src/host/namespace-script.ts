import { innerPortLines, type NetworkAccess } from './inner-port.ts';
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
 * The last word of every script: drops every capability for good, so that what the program then mounts or unmounts is
 * refused, and becomes the user. The death signal is asked for again, because a change of user drops that, too. Who is not
 * root has built the place as root of a user namespace, and finds its own number again in another one inside.
 */
export function becomeProgram({ user, caller }: Pick<NamespacePlan, 'user' | 'caller'>): string {
  if (user !== null)
    return `exec setpriv --reuid=${user} --regid=${user} --clear-groups --pdeathsig=SIGKILL ${dropAll} "$@"`;
  if (caller.uid === 0) return `exec setpriv ${dropAll} "$@"`;
  const same = `--map-user=${caller.uid} --map-group=${caller.gid}`;
  // Capabilities are gone with the change of number; mapping number 0 needs them before.
  return `exec unshare --user ${same} -- setpriv --no-new-privs --inh-caps=-all -- "$@"`;
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
  'case "$(uname -m)" in x86_64) ring=250 ;; aarch64) ring=219 ;; *) ring=-1 ;; esac',
  // close_range(2) has one number everywhere, keyctl(2) has not; 1 joins a new session.
  `if command -v perl >/dev/null 2>&1; then set -- perl -e 'my $ring = shift; syscall(436, 3, 0xffffffff, 0); syscall($ring + 0, 1, 0) if $ring > 0; exec { $ARGV[0] } @ARGV or exit 127' "$ring" "$@"; fi`,
];

/**
 * Shell text that runs as first process of new user, process and mount namespaces: builds a root that is read-only but
 * for the named folders, with /tmp, /dev and /proc of its own, enters it, drops all capabilities, becomes "$@" in `cwd`.
 */
export function namespaceScript(plan: NamespacePlan, cwd: string): string {
  const root = plan.stage;
  const at = (path: string) => shellQuote(`${root}${path}`);
  return [
    'set -e',
    ...networkLines(plan.network),
    'mount --make-rprivate /',
    `mount --rbind / ${shellQuote(root)}`,
    makeReadOnly(root),
    // Bounded: what is written there is memory of the machine.
    `mount -t tmpfs -o mode=1777,size=2g tmpfs ${at('/tmp')}`,
    ...ownDevices(at),
    ...placesInOrder(plan).map(({ path, kind, how }) =>
      how === 'hidden' ? hide(at(path), kind) : bind(path, at(path), kind, how === 'writable'),
    ),
    ...ownProcesses(at),
    `cd ${shellQuote(root)}`,
    'mkdir -p tmp/.old && pivot_root . tmp/.old && cd / && umount -l /tmp/.old && rmdir /tmp/.old',
    `cd ${shellQuote(cwd)}`,
    ...cleanStart,
    becomeProgram(plan),
  ].join('\n');
}

/** Shell lines that prepare a network namespace of its own; none where the network stays the machine's. */
export function networkLines(network: NetworkAccess): string[] {
  if (network === true) return [];
  return [
    `{ ${loopbackUp}; } || exit 126`,
    ...(network === false ? [] : innerPortLines(process.execPath, network.port)),
  ];
}

function hide(target: string, kind: 'folder' | 'file'): string {
  const hideIt =
    kind === 'folder'
      ? `mount -t tmpfs -o mode=755,size=64k,nr_inodes=1k tmpfs ${target}`
      : `mount --bind /dev/null ${target}`;
  // A place that an earlier line hid already is not there any more.
  return `if [ -e ${target} ]; then ${hideIt}; fi`;
}

function bind(path: string, target: string, kind: 'folder' | 'file', writable: boolean): string {
  const make = kind === 'folder' ? `mkdir -p ${target}` : `mkdir -p "$(dirname ${target})" && : >> ${target}`;
  const lines = [`[ -e ${target} ] || { ${make}; }`, `mount --bind ${shellQuote(path)} ${target}`];
  if (!writable) lines.push(`mount -o remount,bind,ro ${target} 2>/dev/null || :`);
  return lines.join('\n');
}

/**
 * Every mount below the new root becomes read-only: by one mount_setattr(2) where perl can make it (number 442 everywhere,
 * AT_RECURSIVE, MOUNT_ATTR_RDONLY), else mount by mount with locked flags kept, since dropping one of those is refused.
 */
function makeReadOnly(root: string): string {
  const attributes =
    'my $a = pack("Q4", 1, 0, 0, 0); exit(syscall(442, -100, $ARGV[0], 0x8000, $a, 32) == 0 ? 0 : 1)';
  return [
    `perl -e ${shellQuote(attributes)} ${shellQuote(root)} 2>/dev/null || {`,
    'while read -r id parent device inside point options rest; do',
    `  case "$point" in ${shellQuote(root)}|${shellQuote(root)}/*) ;; *) continue ;; esac`,
    '  case "$options" in ro|ro,*) continue ;; esac',
    `  mount -o "remount,bind,ro,\${options#rw}" "$(printf '%b' "$point")"`,
    'done < /proc/self/mountinfo',
    '}',
  ].join('\n');
}
