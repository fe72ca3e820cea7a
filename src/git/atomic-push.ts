import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CcdError } from '../domain/errors.ts';
import { oidSchema, zeroOid } from '../domain/ids.ts';
import type { Clone } from './bare-clone.ts';
import { type LostRef, type PushResult, type RefMove, readPushEnd } from './push-report.ts';
import { isRefName } from './refs.ts';

export type { LostRef, PushResult, RefMove };

/**
 * The one primitive: moves all refs on the remote, or none, each only from exactly the value that is expected. Never
 * retried here. Objects must be in the clone already. A pre-push check of ours sees what git is about to send and stops it
 * unless all moves are in it: git by itself takes a ref that already has its new value for done, whatever was expected.
 * Throws `git.push-malformed` for moves that no push can carry out.
 */
export async function atomicPush(clone: Clone, moves: readonly RefMove[]): Promise<PushResult> {
  checkMoves(moves);
  await checkObjects(clone, moves);
  return await clone.exclusive(async () => {
    const expectation = join(clone.dir, 'ccd-push-expectation');
    await writeFile(expectation, expectedLines(moves));
    const leases = moves.map(({ ref, expected }) => `--force-with-lease=${ref}:${expected}`);
    const specs = moves.map(({ ref, next }) => `${next === zeroOid ? '' : next}:${ref}`);
    const end = await clone.runRemote({
      args: ['push', '--atomic', '--porcelain', '--no-progress', ...leases, clone.remoteUrl, ...specs],
      config: [['core.hooksPath', clone.checksPath]],
      environment: { CCD_PUSH_EXPECTATION: expectation },
    });
    return readPushEnd(end, moves);
  });
}

/** What git tells a pre-push check about exactly these moves, without the local names. */
function expectedLines(moves: readonly RefMove[]): string {
  return moves.map(({ ref, expected, next }) => `${next} ${ref} ${expected}\n`).join('');
}

function checkMoves(moves: readonly RefMove[]): void {
  const names = new Set(moves.map(({ ref }) => ref));
  if (moves.length === 0 || names.size !== moves.length) throw malformed('no ref, or one ref twice');
  for (const { ref, expected, next } of moves) {
    if (!isRefName(ref)) throw malformed(`"${ref}" is no ref name`);
    if (!oidSchema.safeParse(expected).success || !oidSchema.safeParse(next).success) {
      throw malformed(`${ref} needs full object ids`);
    }
    // git sends nothing for a ref that stays, so the server would compare nothing.
    if (expected === next) throw malformed(`${ref} does not move`);
  }
}

async function checkObjects(clone: Clone, moves: readonly RefMove[]): Promise<void> {
  for (const { ref, next } of moves) {
    if (next !== zeroOid && !(await clone.objects.exists(next)))
      throw malformed(`${next} for ${ref} is not in the clone`);
  }
}

function malformed(why: string): CcdError {
  return new CcdError({
    code: 'git.push-malformed',
    message: `This push cannot be made: ${why}.`,
    remedy: 'Report this with the log of the run.',
    audience: 'bug',
  });
}
