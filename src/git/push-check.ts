import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Begins each line in which the check names a ref that git is not about to move as expected. */
export const unexpectedMark = 'ccd-unexpected ';

/**
 * git hands a pre-push check `<local name> <new> <ref> <old>` for every ref that it will send, as the server advertised it
 * a moment ago; stale and finished refs are left out. All expected lines must be among them; the server then compares each
 * old value once more. Plain shell: nothing but git's own `sh` is needed.
 */
const script = `#!/bin/sh
sent='
'
while read -r name new ref old; do
  sent="$sent$new $ref $old
"
done
wrong=0
while read -r line; do
  case "$sent" in
  *"
$line
"*) ;;
  *)
    line="\${line#* }"
    echo "${unexpectedMark}\${line% *}" >&2
    wrong=1
    ;;
  esac
done <"$CCD_PUSH_EXPECTATION"
exit $wrong
`;

/** Writes the pre-push check into `folder`, which must hold nothing else: git takes any file there for a hook. */
export async function writePushCheck(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'pre-push');
  await writeFile(path, script);
  await chmod(path, 0o755);
}
