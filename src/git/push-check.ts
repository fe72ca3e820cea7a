import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Printed by the check when git is about to send something else than all moves. */
export const unexpectedMark = 'ccd: the remote is not as expected';

/**
 * git hands a pre-push check `<local name> <new> <ref> <old>` for every ref that it will send, as the server advertised it
 * a moment ago. Exactly the expected lines go through; the server then compares each old value once more.
 */
const script = `#!/bin/sh
if LC_ALL=C awk '{ print $2, $3, $4 }' | LC_ALL=C sort | cmp -s - "$CCD_PUSH_EXPECTATION"; then exit 0; fi
echo '${unexpectedMark}' >&2
exit 1
`;

/** Writes the pre-push check into `folder`, which must hold nothing else: git takes any file there for a hook. */
export async function writePushCheck(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'pre-push');
  await writeFile(path, script);
  await chmod(path, 0o755);
}
