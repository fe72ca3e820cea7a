import type { MountStep } from './mount-program.ts';

/** Devices that programs expect and that give access to nothing. */
const harmless = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/** Links that every /dev has. */
const links = [
  ['/proc/self/fd', 'fd'],
  ['/proc/self/fd/0', 'stdin'],
  ['/proc/self/fd/1', 'stdout'],
  ['/proc/self/fd/2', 'stderr'],
  ['pts/ptmx', 'ptmx'],
] as const;

/** Parts of /proc by which root without any capability still steers the kernel. */
const steering = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi'];

/**
 * Steps to a /dev of its own: a child that runs as root owns the machine's disks, and a read-only file system does not keep
 * their owner from opening them. Its shared memory is its own too: the machine's would be a way to other jobs.
 */
export function ownDevices(at: (path: string) => string): MountStep[] {
  return [
    ['tmpfs', at('/dev'), 'mode=755,size=64k'],
    ...harmless.map((name): MountStep => ['device', `/dev/${name}`, at(`/dev/${name}`)]),
    ...links.map(([target, name]): MountStep => ['link', target, at(`/dev/${name}`)]),
    ['mkdir', at('/dev/pts')],
    ['mkdir', at('/dev/shm')],
    // Some containers do not allow one; then there are no terminals.
    ['devpts', at('/dev/pts')],
    ['tmpfs', at('/dev/shm'), 'mode=1777,size=512m'],
    ['readonly', at('/dev')],
  ];
}

/** Steps to a /proc of its own, in which nothing of the machine can be set. */
export function ownProcesses(at: (path: string) => string): MountStep[] {
  return [['proc', at('/proc')], ...steering.map((name): MountStep => ['freeze', at(`/proc/${name}`)])];
}
