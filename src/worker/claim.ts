import { z } from 'zod';
import { reportCaps } from '../domain/report.ts';

/** What the agent says of its own work: nothing of it was observed. Lists are null where it gave none. */
export interface AgentClaim {
  readonly summary: string;
  readonly changedFiles: readonly string[] | null;
  readonly unfinished: readonly string[] | null;
  readonly subject: string | null;
}

/** Word behind the opening fence of the block that the prompt asks for. */
export const claimFence = 'ccd-report';

const opening = new RegExp(`^(\`{3,})${claimFence}[ \\t]*$`);
const mostBlockChars = 1024 * 1024;

const texts = (most: number) =>
  z
    .array(z.string().min(1))
    .transform((list) => list.slice(0, most))
    .nullable()
    .catch(null)
    .default(null);

const blockSchema = z.object({
  changed_files: texts(reportCaps.files),
  unfinished: texts(100),
  subject: z.string().min(1).nullable().catch(null).default(null),
});

/**
 * Splits the agent's last words into a summary and the block of data that it was asked to end with; the last such block
 * counts. A block that is missing, malformed or too long leaves the lists null: it is the agent's word, and optional.
 */
export function readClaim(words: string): AgentClaim {
  const found = words.length > mostBlockChars ? null : lastBlock(words.split('\n'));
  if (found === null) return { summary: words, changedFiles: null, unfinished: null, subject: null };
  const summary = [...found.before, ...found.after].join('\n').trim();
  const parsed = blockSchema.safeParse(parseJson(found.content.join('\n')));
  if (!parsed.success) return { summary, changedFiles: null, unfinished: null, subject: null };
  const { changed_files, unfinished, subject } = parsed.data;
  return { summary, changedFiles: changed_files?.map(plainPath) ?? null, unfinished, subject };
}

interface Block {
  readonly before: readonly string[];
  readonly content: readonly string[];
  readonly after: readonly string[];
}

/** Line by line, each once: thousands of fences that nobody closes would hold a search up for minutes. */
function lastBlock(lines: readonly string[]): Block | null {
  let open: { readonly fence: string; readonly at: number } | null = null;
  let last: { readonly from: number; readonly to: number } | null = null;
  for (const [at, line] of lines.entries()) {
    const fence = opening.exec(line)?.[1];
    if (fence !== undefined) open = { fence, at };
    else if (open !== null && line.trimEnd() === open.fence) {
      last = { from: open.at, to: at };
      open = null;
    }
  }
  if (last === null) return null;
  const { from, to } = last;
  return { before: lines.slice(0, from), content: lines.slice(from + 1, to), after: lines.slice(to + 1) };
}

function plainPath(path: string): string {
  return path.trim().replace(/^(?:\.\/)+/, '');
}

/** Where claim and change differ, by path; nothing where the agent made no claim. */
export function claimDifferences(
  claimed: readonly string[] | null,
  changed: readonly { readonly path: string }[],
): { readonly notChanged: readonly string[]; readonly notClaimed: readonly string[] } {
  if (claimed === null) return { notChanged: [], notClaimed: [] };
  const really = new Set(changed.map(({ path }) => path));
  const said = new Set(claimed);
  return {
    notChanged: [...said].filter((path) => !really.has(path)),
    notClaimed: [...really].filter((path) => !said.has(path)),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
