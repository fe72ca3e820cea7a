import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/host/clock.ts';
import { runAgent } from '../src/worker/claude/process.ts';
import { ClaudeHouse } from '../test/claude/support/run-claude.ts';
import { startModel } from '../test/support/scripted-model/start.ts';
import type { Figure } from './support/figure.ts';

const small = 190;
const real = 10;

/** What a run could leave behind, counted on the whole machine. */
interface Counted {
  readonly processes: number;
  readonly descriptors: number;
  readonly namespaces: number;
  readonly mounts: number;
  readonly temporary: number;
  readonly sockets: number;
}

function count(root: string): Counted {
  const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid));
  const names = ['net', 'pid', 'mnt', 'user', 'ipc'].flatMap((kind) =>
    pids.flatMap((pid) => orNothing(() => readlinkSync(`/proc/${pid}/ns/${kind}`))),
  );
  return {
    processes: pids.filter((pid) =>
      orNothing(() => readFileSync(`/proc/${pid}/environ`, 'latin1')).some((text) => text.includes(root)),
    ).length,
    descriptors: readdirSync('/proc/self/fd').length,
    namespaces: new Set(names).size,
    mounts: readFileSync('/proc/self/mountinfo', 'utf8').split('\n').length,
    temporary: readdirSync(tmpdir()).filter((name) => /^ccd-(?:stage|probe|fence)/.test(name)).length,
    sockets: readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .filter((line) => / 0A /.test(line)).length,
  };
}

function orNothing<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch {
    // Ended meanwhile, or not ours to look at.
    return [];
  }
}

/** An agent of a few lines that, like a bad one, leaves a process behind in a session of its own. */
const smallAgent = `#!/bin/sh
cat > /dev/null
(setsid sh -c 'trap "" INT TERM HUP; sleep 600' > /dev/null 2>&1 &)
echo '{"type":"system","subtype":"init","claude_code_version":"0.0.0"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1}'
`;

/** Two hundred short runs, ten of them of the real CLI: what is more afterwards than before. */
export async function run(): Promise<Figure[]> {
  const house = await ClaudeHouse.open();
  const program = join(house.root, 'bin', 'agent');
  mkdirSync(join(house.root, 'bin'));
  writeFileSync(program, smallAgent);
  chmodSync(program, 0o755);
  const model = await startModel({ default: { turns: [{ text: 'Done.' }] } });
  try {
    const once = async (real: boolean) => {
      const run = house.prepare(model.urlFor('default', String(Math.random())), {
        readable: [join(house.root, 'bin')],
      });
      const ending = await runAgent(house.sandbox, real ? run : { ...run, argv: [program] }, systemClock);
      if (ending.outcome.reason !== 'completed') throw new Error(JSON.stringify(ending));
    };
    await once(false);
    await once(true);
    const before = count(house.root);
    const heap = process.memoryUsage().rss;
    for (let done = 0; done < small; done += 1) await once(false);
    for (let done = 0; done < real; done += 1) await once(true);
    const after = count(house.root);
    const more = (key: keyof Counted): Figure => ({
      name: `${key} left by ${small + real} runs`,
      value: after[key] - before[key],
      unit: '',
      goal: '0',
    });
    const grown = Math.round((process.memoryUsage().rss - heap) / 1e6);
    return [
      ...(Object.keys(before) as (keyof Counted)[]).map(more),
      { name: 'resident memory grown over them', value: grown, unit: 'MB' },
    ];
  } finally {
    await model.close();
    house.close();
  }
}
