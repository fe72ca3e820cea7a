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
  readonly network: boolean;
}

/** Turns the loopback device on: a new network namespace has it off. Whichever program exists does it. */
const loopbackUp = [
  'ip link set lo up 2>/dev/null',
  `perl -e 'use Socket;socket(S,PF_INET,SOCK_DGRAM,0)||exit 1;ioctl(S,0x8914,pack("a16s","lo",65))||exit 1' 2>/dev/null`,
  `python3 -c 'import fcntl,socket,struct;fcntl.ioctl(socket.socket(),0x8914,struct.pack("16sh",b"lo",65))' 2>/dev/null`,
].join(' || ');

/** Drops every capability for good: what the program then mounts or unmounts is refused. */
const dropAll = 'exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"';

/**
 * Shell text that runs as first process of new user, process and mount namespaces: builds a root that is read-only but
 * for the named folders, with /tmp, /dev and /proc of its own, enters it, drops all capabilities, becomes "$@" in `cwd`.
 */
export function namespaceScript(plan: NamespacePlan, cwd: string): string {
  const root = plan.stage;
  const at = (path: string) => shellQuote(`${root}${path}`);
  return [
    'set -e',
    ...(plan.network ? [] : [loopbackUp]),
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
    dropAll,
  ].join('\n');
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
