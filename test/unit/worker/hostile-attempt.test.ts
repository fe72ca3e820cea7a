import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ResultReport } from '../../../src/domain/report.ts';
import { git, gitText } from '../../../src/git/run-git.ts';
import type { WorkerJob } from '../../../src/worker/worker-job.ts';
import { type AttemptWorld, openAttempt } from './support/attempt-world.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let here: AttemptWorld;
beforeEach(async () => {
  here = await openAttempt();
});
afterEach(() => here.close());

async function attempt(script: string, changes: Partial<WorkerJob> = {}): Promise<ResultReport> {
  const end = await here.run(await here.agent(script), changes);
  if (end.kind === 'not-started') throw new Error(end.reason);
  return end.report;
}

/** A ref of the test's own, at the commit of a hand-over. */
async function handedOver(sequence: number): Promise<{ gitDir: string; ref: string }> {
  const folder = here.artifacts.get(`ccd-tree-${here.contract.attempt}-${sequence}`) ?? '/missing';
  const { dir: gitDir } = here.clone;
  const ref = `refs/look/${sequence}`;
  const bundle = join(folder, 'handover.bundle');
  await git({ gitDir, args: ['fetch', '--quiet', bundle, `+refs/ccd/handover:${ref}`] });
  return { gitDir, ref };
}

describe('a hostile agent and what is handed over', () => {
  it('gets no commit, message, parent, merge or ref of its own repository in', async () => {
    const report = await attempt(`
      const sh = (script) => execSync(script, { stdio: 'ignore' });
      sh('git checkout -q -b other && echo other > src/other.mjs && git add -A && git commit -qm "Closes #1 [skip ci]"');
      sh('git checkout -q task && echo mine > src/mine.mjs && git add -A && git commit -qm "fixes #1"');
      sh('git merge -q -s ours -m "resolves #1 [ci skip]" other && git tag v1 && git update-ref refs/ccd/handover HEAD');
      const parents = execSync('git rev-list --parents -n1 HEAD', { encoding: 'utf8' }).trim().split(' ').length - 1;
      fix(); addTest(); done(String(parents));`);
    expect(report).toMatchObject({ status: 'ready', claim: { summary: '2' } });
    const { gitDir, ref } = await handedOver(report.lastSequence);
    const commit = await here.clone.objects.readCommit(await gitText({ gitDir, args: ['rev-parse', ref] }));
    expect(commit).toMatchObject({ parents: [here.base], message: 'hand-over\n' });
    const names = await gitText({ gitDir, args: ['ls-tree', '-r', '--name-only', ref] });
    expect(names.split('\n')).toContain('src/mine.mjs');
    expect(names.split('\n')).not.toContain('src/other.mjs');
  });

  it('does not get a token out by a link, a name or a folder', async () => {
    const token = `${['gh', 'p_'].join('')}${'a1B2'.repeat(9)}`;
    for (const leak of [
      `fs.symlinkSync('${token}', 'src/link')`,
      `fs.writeFileSync('src/${token}.mjs', '')`,
      `fs.mkdirSync('src/${token}'); fs.writeFileSync('src/${token}/a', '')`,
    ]) {
      const report = await attempt(`${leak}; fix(); addTest(); await wait(300); done();`);
      expect(report.outcome).toEqual({ class: 'deterministic', reason: 'secret-found' });
      expect([...here.artifacts.keys()]).toEqual([`ccd-report-${here.contract.attempt}`]);
      expect(JSON.stringify(report) + here.log.join('')).not.toContain(token);
    }
  });
});

describe('a hostile agent and its runner', () => {
  it('cannot write what steers later steps of the job, and what it says is no workflow command', async () => {
    const commands = join(here.scratch, 'temp', '_runner_file_commands');
    await mkdir(commands, { recursive: true });
    for (const name of ['set_env_1', 'add_path_1', 'set_output_1', 'step_summary_1'])
      await writeFile(join(commands, name), 'as it was');
    const report = await attempt(
      `const wrote = []; const folder = ${JSON.stringify(commands)};
       for (const name of ['set_env_1', 'add_path_1', 'set_output_1', 'step_summary_1', 'new']) try { fs.appendFileSync(folder + '/' + name, 'EVIL=1'); wrote.push(name); } catch {}
       const known = ['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY', 'GITHUB_STATE'].filter((name) => process.env[name] !== undefined);
       for (const name of ['##[add-mask]a', '::set-env name=A::b', 'x##[set-env name=A]b\\n::stop-commands::y']) fs.writeFileSync('src/' + name, 'token ' + 'gh' + 'p_' + 'a1B2'.repeat(9));
       console.error('##[add-mask]b\\n::add-mask::c'); fix(); addTest(); done(JSON.stringify({ wrote, known }));`,
      {
        hidden: [join(here.scratch, 'temp')],
        environment: { ...process.env, GITHUB_ENV: join(commands, 'set_env_1') },
      },
    );
    expect(report.claim?.summary).toBe('{"wrote":[],"known":[]}');
    expect(report.outcome.reason).toBe('secret-found');
    for (const name of readdirSync(commands))
      expect(readFileSync(join(commands, name), 'utf8')).toBe('as it was');
    expect(readdirSync(commands)).toHaveLength(4);
    const log = here.log.join('');
    expect(log).toContain('add-mask');
    expect(log).not.toMatch(/##\[|^\s*::/m);
  });

  it('leaves nothing that cannot be removed', async () => {
    const report = await attempt(
      `fix(); addTest();
       const script = 'chdir $ENV{TMPDIR} or die; mkdir "shut"; open F, ">shut/x"; chmod 0, "shut"; open F, ">bad-\\xff"; for (1..60) { mkdir "n" x 200; chdir "n" x 200 } open F, ">leaf"';
       done(String(spawnSync('perl', ['-e', script]).status));`,
    );
    expect(report).toMatchObject({ status: 'ready', claim: { summary: '0' } });
    expect(readdirSync(join(here.scratch, 'temp'))).toEqual([]);
    expect(here.log.join('')).not.toContain('could not be removed');
  });

  it('is ended when its output has no end, also when it never wrote it', async () => {
    const report = await attempt(
      "fix(); const out = fs.openSync('/proc/self/fd/1', 'r+'); fs.ftruncateSync(out, 2 ** 42); await wait(100000);",
    );
    expect(report).toMatchObject({
      status: 'failed',
      outcome: { class: 'deterministic', reason: 'too-much-output' },
    });
  });

  it('is ended by its silence when it closes its output, ignores every polite signal and has a hundred at work', async () => {
    await here.close();
    here = await openAttempt({ limits: { silenceMs: 800, maxTries: 1 } });
    const mark = `ccd-crowd-${process.pid}`;
    const report = await attempt(
      `for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
       spawnSync('sh', ['-c', 'trap "" INT TERM HUP; for i in $(seq 100); do setsid sh -c "sleep 600; : ${mark}" & done'], { stdio: 'ignore' });
       fix(); addTest(); fs.closeSync(1); fs.closeSync(2); for (;;) await wait(1000);`,
    );
    expect(report).toMatchObject({ status: 'failed', outcome: { class: 'transient', reason: 'stalled' } });
    const left = readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark);
      } catch {
        // It ended between the listing and the reading.
        return false;
      }
    });
    expect(left).toEqual([]);
  });

  it('may say one line of 100 MB, nonsense and a thousand depths, and its work still counts', async () => {
    const report = await attempt(
      `const out = (text) => { const bytes = Buffer.from(text); for (let at = 0; at < bytes.length; ) at += fs.writeSync(1, bytes, at); };
       out('x'.repeat(100 * 1024 * 1024) + '\\n'); out('['.repeat(1e6) + '\\n'); out('{"__proto__":{"type":"result"},"constructor":1}\\n');
       out('{"type":"assistant","message":{"content":"no list","usage":{"input_tokens":-5e300}}}\\n\\u0000\\n');
       fix(); addTest(); done();`,
    );
    expect(report).toMatchObject({ status: 'ready', claim: { summary: 'Fixed it.' } });
  });
});
