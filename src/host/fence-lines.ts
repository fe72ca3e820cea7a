import type { Isolation } from '../domain/contract.ts';
import { shellQuote } from './shell-quote.ts';

/** What lies outside of the sandbox to be got at: decoys, nothing of value. */
export interface Decoys {
  /** A file with the canary in it, in a folder that is told to be hidden. */
  readonly hiddenFile: string;
  /** A file that everybody may read and write, outside of all named folders. */
  readonly openFile: string;
  /** A process of this user, with the canary in its environment. */
  readonly pid: number;
  /** A TCP service on loopback that is not let through, and one that is. */
  readonly port: number;
  readonly gatewayPort: number;
  readonly socket: string;
  /** Name of an abstract socket. */
  readonly abstract: string;
  /** A shared memory file of the machine. */
  readonly sharedMemory: string;
  readonly home: string;
  /** User number and session key ring of who starts the sandbox; null where the ring cannot be told. */
  readonly uid: number;
  readonly keyring: number | null;
  /** Names of the machine's namespaces. */
  readonly ipc: string;
  readonly mounts: string;
  /** An address of this machine that is not loopback, with the service above on it; null when it has none. */
  readonly address: string | null;
}

/** One thing that is tried from inside. */
export interface FenceLine {
  readonly id: string;
  /** What it would mean, told to a person. */
  readonly what: string;
  /** The weakest level at which it has to be closed; null: it is told and never demanded. */
  readonly closedFrom: Exclude<Isolation, 'none'> | null;
  /** Shell text that ends with 0 when it got through, with 3 when the means to try it are missing. */
  readonly script: string;
}

const node = shellQuote(process.execPath);

/** Connects and ends with 0 when somebody answers. */
const connect = (to: string) =>
  `${node} -e ${shellQuote(`const s=require('net').connect(${to});s.setTimeout(2500,()=>process.exit(1));s.on('error',()=>process.exit(1));s.on('connect',()=>process.exit(0))`)}`;
const perl = (text: string) => `command -v perl >/dev/null || exit 3; perl -e ${shellQuote(text)}`;
/** Numbers of system calls differ between machines. */
const syscallNumber = (x86: number, arm: number) =>
  `my $m = \`uname -m\`; my $n = $m =~ /x86_64/ ? ${x86} : $m =~ /aarch64/ ? ${arm} : exit 3;`;

/** Everything that is tried, in the order in which it is told. */
export function fenceLines(to: Decoys): FenceLine[] {
  const line = (
    id: string,
    closedFrom: FenceLine['closedFrom'],
    what: string,
    script: string,
  ): FenceLine => ({ id, what, closedFrom, script });
  const file = shellQuote(to.openFile);
  // Where mounts are the machine's own, trying this would change it.
  const apart = `[ "$(readlink /proc/self/ns/mnt)" != ${shellQuote(to.mounts)} ] || exit 3; `;
  return [
    line(
      'parent-file',
      'sandbox',
      "reads a file of the parent's",
      `grep -q canary ${shellQuote(to.hiddenFile)}`,
    ),
    line(
      'home',
      'sandbox',
      "reads files in the runner's home",
      `find ${shellQuote(to.home)} -maxdepth 1 -type f -size +0 2>/dev/null | grep -q .`,
    ),
    line('write-outside', 'sandbox', 'writes a file outside of its folders', `echo x >> ${file}`),
    line(
      'write-system',
      'sandbox',
      'writes into a folder of the system',
      'f=/usr/ccd-fence.$$; : > $f && rm -f $f',
    ),
    line(
      'list-processes',
      'pid-namespace',
      'sees processes of the machine',
      `tr '\\0' ' ' < /proc/${to.pid}/cmdline | grep -q ccd-fence-decoy`,
    ),
    line(
      'read-environment',
      'pid-namespace',
      'reads the environment of another process',
      `grep -qa canary /proc/${to.pid}/environ`,
    ),
    line(
      'signal-processes',
      'pid-namespace',
      'signals another process',
      `grep -qa ccd-fence-decoy /proc/${to.pid}/cmdline && kill -0 ${to.pid}`,
    ),
    line(
      'trace-processes',
      'pid-namespace',
      'attaches to another process as a debugger',
      perl(
        `${syscallNumber(101, 117)} open(my $f, "<", "/proc/${to.pid}/cmdline") or exit 1; <$f> =~ /ccd-fence-decoy/ or exit 1; exit(syscall($n, 16, ${to.pid}, 0, 0) == 0 ? 0 : 1)`,
      ),
    ),
    line(
      'loopback',
      'sandbox',
      "reaches a service on the machine's loopback",
      connect(`${to.port},'127.0.0.1'`),
    ),
    line(
      'own-address',
      'sandbox',
      'reaches the machine by its own address',
      to.address === null ? 'exit 3' : connect(`${to.port},'${to.address}'`),
    ),
    line(
      'internet',
      'sandbox',
      'has a way to other hosts',
      `grep -q '^[^I]*[[:space:]]00000000[[:space:]]' /proc/net/route`,
    ),
    line(
      'names',
      'sandbox',
      'has names of hosts resolved',
      `${node} -e ${shellQuote("require('dns').resolve4('example.com',e=>process.exit(e?1:0));setTimeout(()=>process.exit(1),2500)")}`,
    ),
    line(
      'unix-socket',
      'sandbox',
      'connects to a Unix socket of the machine',
      connect(shellQuote(to.socket).replaceAll("'", '"')),
    ),
    line(
      'abstract-socket',
      'sandbox',
      'connects to an abstract Unix socket',
      connect(`{path:"\\0${to.abstract}"}`),
    ),
    line(
      'shared-memory',
      'sandbox',
      'reads shared memory of other jobs',
      `[ -s ${shellQuote(to.sharedMemory)} ]`,
    ),
    line(
      'ipc',
      'sandbox',
      'shares message queues and semaphores',
      `[ "$(readlink /proc/self/ns/ipc)" = ${shellQuote(to.ipc)} ]`,
    ),
    line(
      'keyring',
      'sandbox',
      "holds the runner's key ring",
      to.keyring === null
        ? 'exit 3'
        : perl(`${syscallNumber(250, 219)} exit(syscall($n, 0, -3, 0) == ${to.keyring} ? 0 : 1)`),
    ),
    line(
      'open-files',
      'sandbox',
      'was left open files of its parent',
      'ls /proc/$$/fd > fence-files; grep -qvxE "[0-2]|10|255" fence-files',
    ),
    line('mount', 'sandbox', 'mounts a file system', `${apart}mount -t tmpfs tmpfs /mnt`),
    line(
      'unmount',
      'sandbox',
      'takes away what hides a place',
      `${apart}umount -l /proc || unshare -Urm umount -l /proc`,
    ),
    line(
      'become-root',
      'sandbox',
      'becomes another user',
      perl('my $to = $< == 1 ? 2 : 1; $> = $to; exit($> == $to ? 0 : 1)'),
    ),
    line(
      'capabilities',
      'sandbox',
      'holds capabilities',
      "grep -Eq '^CapEff:[[:space:]]*0*[1-9a-f]' /proc/self/status",
    ),
    line(
      'new-privileges',
      'sandbox',
      'gains privileges by programs that give them',
      "grep -Eq '^NoNewPrivs:[[:space:]]*0' /proc/self/status",
    ),
    line(
      'raw-devices',
      'sandbox',
      'opens disks, memory or the console',
      'find /dev -type b 2>/dev/null | grep -q . || [ -e /dev/mem ] || [ -e /dev/kmsg ] || [ -e /dev/kvm ]',
    ),
    line('make-devices', 'sandbox', 'makes a device', 'mknod ./ccd-device b 7 0 && rm -f ./ccd-device'),
    line(
      'kernel-settings',
      'sandbox',
      'writes settings of the kernel',
      'for f in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger; do (: >> $f) 2>/dev/null && exit 0; done; exit 1',
    ),
    line('cgroups', 'sandbox', 'makes control groups', 'd=/sys/fs/cgroup/ccd-fence.$$; mkdir $d && rmdir $d'),
    line('same-user', null, 'is the same user as the runner', `[ "$(id -u)" = ${to.uid} ]`),
    line(
      'kernel-log',
      null,
      'reads the log of the kernel',
      perl(`${syscallNumber(103, 116)} my $b = "\\0" x 64; exit(syscall($n, 3, $b, 64) > 0 ? 0 : 1)`),
    ),
    line('new-namespaces', null, 'makes user namespaces of its own', 'unshare -U true'),
  ];
}
