import { z } from 'zod';
import { profileSchema } from '../domain/attempt.ts';
import { taskKindSchema } from '../domain/spec.ts';

/** How a field is written under a heading: prose, one word, a number, a command, one entry per line, or `key: value` lines. */
export type FieldShape = 'text' | 'word' | 'number' | 'command' | 'entries' | 'words' | 'allow' | 'pairs';

/** Reads a YAML scalar as a list of one, because people write `allowed_paths: src/`. */
function list<T extends z.ZodType>(entry: T, most: number) {
  return z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(entry).max(most));
}

const entry = (longest: number) => z.string().trim().min(1).max(longest);
const command = entry(4096);
/** What a path may be is said in full by the path rules. */
const path = z.string();
const pathList = list(path, 100);
const wholeNumber = z.number().int().min(0).max(1_000_000);

const allowSchema = z.strictObject({
  binary: pathList.optional(),
  mode: pathList.optional(),
  submodule: pathList.optional(),
  symlink: pathList.optional(),
  generated: pathList.optional(),
  hooks: pathList.optional(),
  manifests: pathList.optional(),
  rename: z
    .array(z.tuple([path, path]))
    .max(100)
    .optional(),
});

const budgetSchema = z.strictObject({
  max_usd: z.number().positive().optional(),
  max_turns: z.number().int().min(1).optional(),
  max_tries: z.number().int().min(1).optional(),
  wall_clock_minutes: z.number().int().min(1).optional(),
});

/** Shape of each field before policy and path rules are applied; sizes are bounded here. */
export const fieldSchemas = {
  kind: taskKindSchema,
  objective: entry(20_000),
  acceptance_criteria: list(entry(2000), 50),
  allowed_paths: pathList,
  target_tests: list(entry(1000), 50),
  expect_changes: list(entry(1000), 100),
  setup: command,
  test_command: command,
  verify: list(command, 20),
  max_prod_lines: wholeNumber,
  allow: allowSchema,
  profiles: list(profileSchema, 4),
  budget: budgetSchema,
  priority: z.number().int().min(0).max(9),
  depends_on: z.preprocess(
    (value) => (typeof value === 'string' || typeof value === 'number' ? [value] : value),
    z.array(z.union([z.number().int().positive(), entry(300)])).max(50),
  ),
} as const;

export type FieldName = keyof typeof fieldSchemas;
export type RawSpec = { -readonly [K in FieldName]?: z.infer<(typeof fieldSchemas)[K]> };

export const fieldNames = Object.keys(fieldSchemas) as FieldName[];

export const fieldShapes: Record<FieldName, FieldShape> = {
  kind: 'word',
  objective: 'text',
  acceptance_criteria: 'entries',
  allowed_paths: 'entries',
  target_tests: 'entries',
  expect_changes: 'entries',
  setup: 'command',
  test_command: 'command',
  verify: 'entries',
  max_prod_lines: 'number',
  allow: 'allow',
  profiles: 'words',
  budget: 'pairs',
  priority: 'number',
  depends_on: 'words',
};

/** Heading of each field as the issue form prints it. */
export const fieldTitles: Record<FieldName, string> = {
  kind: 'Kind',
  objective: 'Objective',
  acceptance_criteria: 'Acceptance criteria',
  allowed_paths: 'Allowed paths',
  target_tests: 'Target tests',
  expect_changes: 'Expect changes',
  setup: 'Setup',
  test_command: 'Test command',
  verify: 'Verify',
  max_prod_lines: 'Max production lines',
  allow: 'Allow',
  profiles: 'Profile',
  budget: 'Budget',
  priority: 'Priority',
  depends_on: 'Dependencies',
};

const otherTitles: Record<string, FieldName> = {
  'max prod lines': 'max_prod_lines',
  profiles: 'profiles',
  'depends on': 'depends_on',
};

const byTitle = new Map<string, FieldName>([
  ...fieldNames.map((name): [string, FieldName] => [fieldTitles[name].toLowerCase(), name]),
  ...Object.entries(otherTitles),
]);

/** The field that a heading names, whatever its case, or null for a heading of the author's own. */
export function fieldOfHeading(heading: string): FieldName | null {
  const plain = heading.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim().replace(/:$/, '').trim();
  return byTitle.get(plain) ?? null;
}

/** The field that a YAML key names; `profile` is read as `profiles`. */
export function fieldOfKey(key: string): FieldName | null {
  if (key === 'profile') return 'profiles';
  return (fieldNames as string[]).includes(key) ? (key as FieldName) : null;
}
