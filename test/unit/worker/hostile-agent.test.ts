import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ResultReport } from '../../../src/domain/report.ts';
import type { WorkerJob } from '../../../src/worker/worker-job.ts';
import { type AttemptWorld, jobToken, modelKey, openAttempt } from './support/attempt-world.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let world: AttemptWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

async function attempt(
  script: string,
  changes: Partial<WorkerJob> = {},
): Promise<{ here: AttemptWorld; report: ResultReport }> {
  const here = await openAttempt();
  world = here;
  const end = await here.run(await here.agent(script), changes);
  if (end.kind === 'not-started') throw new Error(end.reason);
  return { here, report: end.report };
}

/** Every byte that was handed in or logged. */
function published(here: AttemptWorld): string {
  const files = [...here.artifacts.values()].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  );
  return [...files.map((file) => readFileSync(file, 'latin1')), ...here.log].join('\n');
}

// Put together here, so that this file holds nothing shaped like a token.
const token = `${['gh', 'p_'].join('')}${'a1B2'.repeat(9)}`;

describe('a hostile agent', () => {
  it('finds nothing worth stealing: no key, no token, no file of the parent', async () => {
    const search = `
      const found = [];
      const look = (path) => { try { found.push(fs.readFileSync(path, 'latin1')); } catch {} };
      for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) { look('/proc/' + pid + '/environ'); look('/proc/' + pid + '/cmdline'); }
      const walk = (dir, depth) => { let names = []; try { names = fs.readdirSync(dir, { withFileTypes: true }); } catch {} for (const one of names) { const at = dir + '/' + one.name; if (one.isDirectory()) { if (depth > 0) walk(at, depth - 1); } else if (one.isFile()) look(at); } };
      walk(process.cwd() + '/../../..', 5); walk(process.env.HOME, 4);
      found.push(JSON.stringify(process.env));
      fix(); addTest();
      const all = found.join('\\n');
      done(JSON.stringify({ model: all.includes('real-model-key'), job: all.includes('job-token-canary'), bundle: all.includes('PACK'), parent: all.includes('vitest') }));`;
    const { report } = await attempt(search);
    expect(report.status).toBe('ready');
    expect(JSON.parse(report.claim?.summary ?? '')).toEqual({
      model: false,
      job: false,
      bundle: false,
      parent: false,
    });
  });

  it('cannot write outside its own folders', async () => {
    const { here, report } = await attempt(
      `const wrote = []; for (const dir of ['/', '/etc', '/usr/local/bin', process.env.PATH.split(':')[0], process.cwd() + '/../config', ${JSON.stringify(process.cwd())}]) { try { fs.writeFileSync(dir + '/ccd-evil', 'x'); wrote.push(dir); } catch {} }
       try { fs.writeFileSync(process.cwd() + '/../../private/x', 'x'); wrote.push('private'); } catch {}
       fix(); addTest(); done(JSON.stringify(wrote));`,
    );
    // A checkout below the temporary folder has a namesake in the agent's own one: what is written there is written nowhere.
    const wrote = JSON.parse(report.claim?.summary ?? 'null') as string[];
    expect(wrote.filter((place) => !place.startsWith(`${tmpdir()}/`))).toEqual([]);
    const path = process.env.PATH?.split(':')[0] ?? '';
    for (const place of ['/', '/etc', '/usr/local/bin', path, process.cwd(), here.scratch])
      expect(existsSync(join(place, 'ccd-evil')), place).toBe(false);
  });

  it('does not get a secret out by a file, a name, or its last words', async () => {
    const { here, report } = await attempt(
      `fs.appendFileSync('test/add.test.mjs', '// ${token}\\n'); fix(); tool(); await wait(400); done('My token is ${token}.');`,
    );
    expect(report).toMatchObject({
      status: 'failed',
      tree: null,
      lastSequence: 0,
      outcome: { class: 'deterministic', reason: 'secret-found' },
      claim: { summary: 'My token is ***.' },
    });
    expect([...here.artifacts.keys()]).toEqual([`ccd-report-${here.contract.attempt}`]);
    expect(published(here)).not.toContain(token);
    expect(here.log.join('')).toContain('test/add.test.mjs (github-token)');
  });

  it('has links, other .git folders and hooks left out or named, and cannot steer the report', async () => {
    const { here, report } = await attempt(
      `fix(); addTest();
       fs.symlinkSync('/etc/passwd', 'report.json'); fs.mkdirSync('src/.git'); fs.writeFileSync('src/.git/config', 'x');
       fs.writeFileSync('.git/hooks', 'x'); execSync('git config core.fsmonitor "touch /tmp/ccd-evil-fsmonitor" || true');
       done('::error::x\\n::set-output name=a::b\\nCloses #1 [skip ci]');`,
    );
    expect(report.violations).toEqual([
      'symlink: report.json',
      'nested-git: src/.git',
      'outside-allowed-paths: report.json',
    ]);
    expect(await here.handedOver(report.lastSequence, 'report.json')).toBe('/etc/passwd');
    expect(existsSync('/tmp/ccd-evil-fsmonitor')).toBe(false);
    expect(here.log.every((line) => line.startsWith('{') && line.indexOf('\n') === line.length - 1)).toBe(
      true,
    );
  });

  it('leaves no process behind, however it forks', async () => {
    const { here, report } = await attempt(
      `spawnSync('perl', ['-e', 'use POSIX; fork && exit; setsid; fork && exit; $SIG{$_}="IGNORE" for qw(INT TERM HUP); sleep 600'], { stdio: 'ignore' });
       spawnSync('sh', ['-c', 'nohup setsid sleep 601 >/dev/null 2>&1 &'], { stdio: 'ignore' });
       // One that no marker in the environment can find any more.
       spawnSync('sh', ['-c', 'setsid env -i sh -c "sleep 600.${process.pid}; :" >/dev/null 2>&1 &'], { stdio: 'ignore' }); fix(); addTest(); done();`,
    );
    const says = (pid: string, file: string, text: string) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(text);
      } catch {
        return false;
      }
    };
    const left = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter(
        (pid) =>
          says(pid, 'environ', `HOME=${here.scratch}`) || says(pid, 'cmdline', `sleep 600.${process.pid}`),
      );
    expect(report.status).toBe('ready');
    expect(left).toEqual([]);
  });

  it('is told nothing by the environment but what it needs, and gets no forbidden variable by name', async () => {
    const { report } = await attempt("fix(); addTest(); done(Object.keys(process.env).sort().join(' '));", {
      agentEnvironment: { JAVA_HOME: '/opt/java' },
    });
    const names = (report.claim?.summary ?? '').split(' ');
    expect(names).toContain('JAVA_HOME');
    expect(names.filter((name) => /TOKEN|SECRET|GITHUB|ACTIONS|CANARY|VITEST/.test(name))).toEqual([]);
    expect(JSON.stringify(report)).not.toContain(modelKey);
    expect(JSON.stringify(report)).not.toContain(jobToken);
  });
});
