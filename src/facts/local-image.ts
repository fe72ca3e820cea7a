import { arch, platform } from 'node:os';

/** Names the machine that tests were executed on, where no runner image does: system, processor, Node. */
export function localImage(): string {
  return `${platform()}-${arch()}-node-${process.versions.node}`;
}
