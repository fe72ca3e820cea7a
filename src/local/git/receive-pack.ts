import type { Principal } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import { moveRefs, type RefOutcome, type RefUpdate } from '../refs/move-refs.ts';
import type { Store } from '../store.ts';
import { ZERO_OID } from './oid.ts';
import { FLUSH, pkt, readPkts, sideband } from './pkt-line.ts';
import { Quarantine } from './quarantine.ts';
import { isHiddenRef } from './ref-name.ts';

const CAPABILITIES =
  'report-status delete-refs side-band-64k quiet atomic ofs-delta object-format=sha1 agent=git/ccd-local';

/** What `git push` reads first: refs and capabilities. Hidden refs are not shown. */
export async function advertiseReceive(repo: Repo): Promise<Buffer> {
  const refs = (await repo.git.refs()).filter((ref) => !isHiddenRef(ref.name));
  const lines =
    refs.length > 0 ? refs.map((ref) => `${ref.oid} ${ref.name}`) : [`${ZERO_OID} capabilities^{}`];
  const parts = lines.map((line, index) => pkt(index === 0 ? `${line}\0${CAPABILITIES}\n` : `${line}\n`));
  return Buffer.concat([pkt('# service=git-receive-pack\n'), FLUSH, ...parts, FLUSH]);
}

interface PushRequest {
  readonly updates: readonly RefUpdate[];
  readonly capabilities: ReadonlySet<string>;
  readonly pack: Buffer;
}

/** Serves one push: unpack in quarantine, judge, move, report. Answers the response body, or null when the request is no push. */
export async function receivePack(
  store: Store,
  repo: Repo,
  principal: Principal,
  body: Buffer,
): Promise<Buffer | null> {
  if (body.equals(FLUSH)) return Buffer.alloc(0);
  const push = parsePush(body);
  if (push === null) return null;
  const quarantine = await Quarantine.open(repo.git);
  try {
    const broken = await bringIn(repo, quarantine, push);
    if (broken !== null) return report(push, broken, []);
    const atomic = push.capabilities.has('atomic');
    return report(push, null, await moveRefs(store, repo, principal, push.updates, { atomic, quarantine }));
  } finally {
    await quarantine.discard();
  }
}

/** Null for a malformed command list. */
function parsePush(body: Buffer): PushRequest | null {
  const read = readPkts(body);
  if (read === null) return null;
  const { lines, rest } = read;
  const [first = '', ...others] = lines.map((line) => line.toString('utf8').replace(/\n$/, ''));
  const [command = '', capabilities = ''] = first.split('\0');
  const updates: RefUpdate[] = [];
  for (const line of [command, ...others]) {
    const match = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.{1,4096})$/.exec(line);
    if (!match) return null;
    updates.push({ oldOid: match[1]!, newOid: match[2]!, ref: match[3]! });
  }
  return { updates, capabilities: new Set(capabilities.trim().split(' ')), pack: rest };
}

/** Unpacks and checks that everything named is complete. Answers what is wrong, or null. */
async function bringIn(repo: Repo, quarantine: Quarantine, push: PushRequest): Promise<string | null> {
  if (push.pack.length > 0) {
    const unpacked = await quarantine.unpack(push.pack);
    if (unpacked.kind === 'broken')
      return unpacked.reason.split('\n').at(-1) ?? 'unpack-objects abnormal exit';
  }
  const tips = push.updates.map((update) => update.newOid).filter((oid) => oid !== ZERO_OID);
  if (tips.length === 0) return null;
  const args = ['rev-list', '--objects', '--quiet', '--stdin', '--not', '--all'];
  const run = await repo.git.run(args, { input: `${tips.join('\n')}\n`, env: quarantine.look.env });
  return run.code === 0 ? null : 'missing necessary objects';
}

function report(push: PushRequest, unpackError: string | null, outcomes: readonly RefOutcome[]): Buffer {
  const lines = [`unpack ${unpackError ?? 'ok'}\n`];
  for (const [index, { ref }] of push.updates.entries()) {
    const outcome = outcomes[index];
    if (outcome?.kind === 'moved') lines.push(`ok ${ref}\n`);
    else lines.push(`ng ${ref} ${outcome?.reason ?? 'unpacker error'}\n`);
  }
  const status = Buffer.concat([...lines.map((line) => pkt(line)), FLUSH]);
  if (!push.capabilities.has('side-band-64k')) return status;
  const messages = outcomes.flatMap((one) => (one.kind === 'refused' ? one.messages : []));
  const remote = messages.map((line) => `${line}\n`).join('');
  return Buffer.concat([sideband(2, Buffer.from(remote)), sideband(1, status), FLUSH]);
}
