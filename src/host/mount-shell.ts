import type { MountStep } from './mount-program.ts';
import { shellQuote } from './shell-quote.ts';

/** A step as shell text with mount(8), for machines where perl or the kernel's newer calls are missing. */
export function shellStep(step: MountStep): string {
  const [name, ...words] = step;
  const [one = '', two = '', three = '', four = ''] = words.map(shellQuote);
  switch (name) {
    case 'private':
      return 'mount --make-rprivate /';
    case 'root':
      return `mount --rbind / ${one}\n${makeReadOnly(one)}`;
    case 'tmpfs':
      return `mount -t tmpfs -o ${two} tmpfs ${one}`;
    case 'device':
      return `if [ -e ${one} ]; then : > ${two}; mount --bind ${one} ${two}; fi`;
    case 'link':
      return `ln -s ${one} ${two}`;
    case 'mkdir':
      return `mkdir ${one}`;
    case 'devpts':
      return `mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts ${one} 2>/dev/null || :`;
    case 'readonly':
      return `mount -o remount,bind,ro ${one}`;
    case 'hide': {
      const folder = `mount -t tmpfs -o mode=755,size=64k,nr_inodes=1k tmpfs ${one}`;
      const hideIt = two === "'folder'" ? folder : `mount --bind /dev/null ${one}`;
      // A place that an earlier line hid already is not there any more.
      return `if [ -e ${one} ]; then ${hideIt}; fi`;
    }
    case 'bind':
      return bind(one, two, three === "'folder'", four === "'writable'");
    case 'proc':
      return `mount -t proc proc ${one}`;
    case 'freeze':
      return `if [ -e ${one} ]; then mount --bind ${one} ${one}; mount -o remount,bind,ro ${one}; fi`;
    case 'enter':
      return `cd ${one}\nmkdir -p tmp/.old && pivot_root . tmp/.old && cd / && umount -l /tmp/.old && rmdir /tmp/.old\ncd ${two}`;
  }
}

function bind(path: string, target: string, folder: boolean, writable: boolean): string {
  const make = folder ? `mkdir -p ${target}` : `mkdir -p "$(dirname ${target})" && : >> ${target}`;
  const lines = [`[ -e ${target} ] || { ${make}; }`, `mount --bind ${path} ${target}`];
  if (!writable) lines.push(`mount -o remount,bind,ro ${target} 2>/dev/null || :`);
  return lines.join('\n');
}

/** Mount by mount, with locked flags kept, since dropping one of those is refused. */
function makeReadOnly(root: string): string {
  return [
    'while read -r id parent device inside point options rest; do',
    `  case "$point" in ${root}|${root}/*) ;; *) continue ;; esac`,
    '  case "$options" in ro|ro,*) continue ;; esac',
    `  mount -o "remount,bind,ro,\${options#rw}" "$(printf '%b' "$point")"`,
    'done < /proc/self/mountinfo',
  ].join('\n');
}
