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
 * Shell lines for a /dev of its own: a child that runs as root owns the machine's disks, and a read-only file system does
 * not keep their owner from opening them. Its shared memory is its own too: the machine's would be a way to other jobs.
 */
export function ownDevices(at: (path: string) => string): string[] {
  return [
    `mount -t tmpfs -o mode=755,size=64k tmpfs ${at('/dev')}`,
    ...harmless.map((name) => {
      const device = `/dev/${name}`;
      return `if [ -e ${device} ]; then : > ${at(device)}; mount --bind ${device} ${at(device)}; fi`;
    }),
    ...links.map(([target, name]) => `ln -s ${target} ${at(`/dev/${name}`)}`),
    `mkdir ${at('/dev/pts')} ${at('/dev/shm')}`,
    // Some containers do not allow one; then there are no terminals.
    `mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts ${at('/dev/pts')} 2>/dev/null || :`,
    `mount -t tmpfs -o mode=1777,size=512m tmpfs ${at('/dev/shm')}`,
    `mount -o remount,bind,ro ${at('/dev')}`,
  ];
}

/** Shell lines for a /proc of its own, in which nothing of the machine can be set. */
export function ownProcesses(at: (path: string) => string): string[] {
  return [
    `mount -t proc proc ${at('/proc')}`,
    ...steering.map((name) => {
      const place = at(`/proc/${name}`);
      return `if [ -e ${place} ]; then mount --bind ${place} ${place}; mount -o remount,bind,ro ${place}; fi`;
    }),
  ];
}
