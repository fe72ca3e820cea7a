import { CcdError } from '../domain/errors.ts';
import { type Oid, oidSchema } from '../domain/ids.ts';

export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface Commit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Person;
  readonly committer: Person;
  /** Seconds since the epoch, as the committer claims. */
  readonly date: number;
  readonly message: string;
}

export interface CommitPlan {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly message: string;
  /** Seconds since the epoch; part of the commit's identity, so it comes from recorded state and never from a clock. */
  readonly date: number;
  readonly person: Person;
}

/** A commit object's parts. Throws `git.commit-malformed` when tree or a parent cannot be read. */
export function parseCommit(oid: Oid, bytes: Buffer): Commit {
  const text = bytes.toString('utf8');
  const gap = text.indexOf('\n\n');
  const head = gap < 0 ? text : text.slice(0, gap);
  const lines = head.split('\n');
  const valuesOf = (key: string) =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  const trees = valuesOf('tree').map((value) => oidSchema.safeParse(value));
  const parents = valuesOf('parent').map((value) => oidSchema.safeParse(value));
  const [tree] = trees;
  if (trees.length !== 1 || !tree?.success) throw malformedCommit(oid);
  return {
    oid,
    tree: tree.data,
    parents: parents.map((parent) => {
      if (!parent.success) throw malformedCommit(oid);
      return parent.data;
    }),
    author: parsePerson(valuesOf('author')[0] ?? '').person,
    ...committerOf(valuesOf('committer')[0] ?? ''),
    message: gap < 0 ? '' : text.slice(gap + 2),
  };
}

/** The commit object of a plan: no user configuration, no signature, UTC. The same plan is the same commit, always. */
export function encodeCommit(plan: CommitPlan): Buffer {
  const { name, email } = plan.person;
  if (
    /[<>\n\0]/.test(name + email) ||
    name.trim() === '' ||
    !Number.isSafeInteger(plan.date) ||
    plan.date < 0
  ) {
    throw malformedCommit(plan.tree);
  }
  if (plan.message.includes('\0')) throw malformedCommit(plan.tree);
  const who = `${name.trim()} <${email.trim()}> ${plan.date} +0000`;
  const parents = plan.parents.map((parent) => `parent ${oidSchema.parse(parent)}\n`).join('');
  const message = plan.message.endsWith('\n') ? plan.message : `${plan.message}\n`;
  return Buffer.from(
    `tree ${oidSchema.parse(plan.tree)}\n${parents}author ${who}\ncommitter ${who}\n\n${message}`,
    'utf8',
  );
}

function committerOf(line: string): { committer: Person; date: number } {
  const { person, date } = parsePerson(line);
  return { committer: person, date };
}

function parsePerson(line: string): { person: Person; date: number } {
  const match = /^(.*?) ?<([^>]*)> (-?\d{1,15})(?: [+-]\d{4})?$/.exec(line);
  if (match === null) return { person: { name: line, email: '' }, date: 0 };
  return { person: { name: match[1] ?? '', email: match[2] ?? '' }, date: Number(match[3]) };
}

function malformedCommit(oid: Oid): CcdError {
  return new CcdError({
    code: 'git.commit-malformed',
    message: `Commit ${oid} cannot be read or written.`,
    remedy: 'Look at the repository with git fsck.',
    audience: 'operator',
  });
}
