import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CcdError } from '../../domain/errors.ts';
import type { Oid } from '../../domain/ids.ts';
import { type ObjectReader, openObjects } from '../../git/objects.ts';
import { type GitCall, gitFault, spawnGit } from '../../git/run-git.ts';

/** Answers for one walk through a work tree. */
export interface IgnoreAnswers {
  /** Which paths of a level are untracked junk; folders end in `/`. */
  junk(paths: readonly string[]): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/** Opens a conversation about base's ignore rules: one process for a whole walk, however many folders that has. */
export type IgnoredPaths = () => IgnoreAnswers;

/** Larger ignore files than this are no ignore files. */
const maxIgnoreBytes = 1024 * 1024;

/**
 * Junk as the tree's own `.gitignore` files define it, whatever the agent does to them: they are laid alone into `folder`
 * and git matches there. `gitDir` must be out of the agent's reach.
 */
export async function ignoredPaths(gitDir: string, tree: Oid, folder: string): Promise<IgnoredPaths> {
  await mkdir(folder, { recursive: true });
  const objects = openObjects(gitDir);
  try {
    await layIgnoreFiles(objects, tree, folder);
  } finally {
    await objects.close();
  }
  const options = ['--no-index', '-z', '-v', '-n', '--stdin'];
  return () =>
    converse({
      args: ['-C', folder, `--work-tree=${folder}`, 'check-ignore', ...options],
      gitDir,
      // This command refuses the literal mode; a leading `./` keeps a name such as `:(top)x` from being a pattern.
      environment: { GIT_INDEX_FILE: join(folder, '.no-index'), GIT_LITERAL_PATHSPECS: '0' },
    });
}

async function layIgnoreFiles(objects: ObjectReader, tree: Oid, folder: string): Promise<void> {
  for (const { path, kind, oid } of await objects.readTree(tree)) {
    if (kind !== 'blob' || (path !== '.gitignore' && !path.endsWith('/.gitignore'))) continue;
    const info = await objects.info(oid);
    if (info === null || info.size > maxIgnoreBytes) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), await objects.readBlob(oid, maxIgnoreBytes));
  }
}

/** git answers each path as it reads it. `-n` lists every path, so as many records come back as were asked for. */
function converse(call: GitCall): IgnoreAnswers {
  let child: ChildProcessWithoutNullStreams | null = null;
  let waiting: Question | null = null;
  let ended: Promise<void> = Promise.resolve();
  const start = (): ChildProcessWithoutNullStreams => {
    const started = spawnGit(call);
    const records = new RecordReader();
    let error = '';
    started.stdout.on('data', (chunk: Buffer) => {
      for (const record of records.push(chunk)) if (waiting?.take(record) === true) waiting = null;
    });
    started.stderr.on('data', (chunk: Buffer) => {
      error = (error + chunk.toString('utf8')).slice(-4096);
    });
    // A child that ended closes the pipe; its end is told below.
    started.stdin.on('error', () => undefined);
    ended = new Promise((resolve) => {
      const end = (code: number | null) => {
        waiting?.fail(gitFault(call, { kind: 'exited', code: code ?? 128, stdout: nothing, stderr: error }));
        waiting = null;
        resolve();
      };
      started.on('error', () => end(null));
      started.on('close', end);
    });
    return started;
  };
  return {
    junk: (paths) => {
      if (paths.length === 0) return Promise.resolve(new Set());
      return new Promise((resolve, reject) => {
        waiting = new Question(paths.length, resolve, reject);
        child ??= start();
        child.stdin.write(paths.map((path) => `./${path}\0`).join(''));
      });
    },
    close: async () => {
      child?.stdin.end();
      await ended;
    },
  };
}

const nothing = Buffer.alloc(0);

/** A record: source, line, pattern, path. A pattern that begins with `!` takes a path back in. */
type IgnoreRecord = readonly [source: string, line: string, pattern: string, path: string];

class Question {
  readonly #ignored = new Set<string>();
  #left: number;
  readonly #resolve: (ignored: ReadonlySet<string>) => void;
  readonly fail: (fault: CcdError) => void;

  constructor(
    count: number,
    resolve: (ignored: ReadonlySet<string>) => void,
    fail: (fault: CcdError) => void,
  ) {
    this.#left = count;
    this.#resolve = resolve;
    this.fail = fail;
  }

  /** True when that was the last one. */
  take([, , pattern, path]: IgnoreRecord): boolean {
    if (pattern !== '' && !pattern.startsWith('!')) this.#ignored.add(path.slice('./'.length));
    this.#left -= 1;
    if (this.#left > 0) return false;
    this.#resolve(this.#ignored);
    return true;
  }
}

/** Cuts bytes into records of four fields that end in NUL. */
class RecordReader {
  #rest = nothing;
  #fields: string[] = [];

  *push(chunk: Buffer): Generator<IgnoreRecord> {
    let bytes = Buffer.concat([this.#rest, chunk]);
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0)) {
      this.#fields.push(bytes.toString('utf8', 0, end));
      bytes = bytes.subarray(end + 1);
      const [source, line, pattern, path] = this.#fields;
      if (source === undefined || line === undefined || pattern === undefined || path === undefined) continue;
      this.#fields = [];
      yield [source, line, pattern, path];
    }
    this.#rest = Buffer.from(bytes);
  }
}
