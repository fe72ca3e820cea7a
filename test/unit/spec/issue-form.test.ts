import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { profileSchema } from '../../../src/domain/attempt.ts';
import { taskKindSchema } from '../../../src/domain/spec.ts';
import { defaultPolicy } from '../../../src/policy/default-policy.ts';
import { parseSpec } from '../../../src/spec/parse-spec.ts';
import { fieldNames, fieldOfHeading } from '../../../src/spec/spec-fields.ts';

const formSchema = z.object({
  body: z.array(
    z.object({
      type: z.enum(['markdown', 'dropdown', 'textarea', 'input']),
      id: z.string().optional(),
      attributes: z.object({ label: z.string().optional(), options: z.array(z.string()).optional() }),
      validations: z.object({ required: z.boolean() }).optional(),
    }),
  ),
});
const file = new URL('../../../.github/ISSUE_TEMPLATE/ccd-task.yml', import.meta.url);
const fields = formSchema
  .parse(parse(readFileSync(file, 'utf8')))
  .body.filter(({ type }) => type !== 'markdown');

/** As GitHub renders a submitted form: a level-3 heading per field, `_No response_` for what was left out. */
function submit(answers: Record<string, string>): string {
  return fields
    .map(({ id, attributes }) => `### ${attributes.label}\n\n${answers[id ?? ''] ?? '_No response_'}`)
    .join('\n\n');
}

test('each field of a spec has exactly one label in the form', () => {
  const labels = fields.map(({ attributes }) => fieldOfHeading(attributes.label ?? ''));
  expect([...labels].sort()).toEqual([...fieldNames].sort());
});

test('the choices are the words of the schema', () => {
  const optionsOf = (id: string) => fields.find((field) => field.id === id)?.attributes.options;
  expect(optionsOf('kind')).toEqual(taskKindSchema.options);
  expect(optionsOf('profile')).toEqual(profileSchema.options);
});

test('a form with only the required fields and a test command is valid', () => {
  const required = fields.filter(({ validations }) => validations?.required).map(({ id }) => id);
  expect(required).toEqual(['kind', 'objective', 'paths']);
  const body = submit({ kind: 'docs', objective: 'Say more.', paths: 'docs/', test_command: 'npm test' });
  expect(parseSpec(body, defaultPolicy).kind).toBe('valid');
});

test('a form with everything filled in is valid', () => {
  const body = submit({
    kind: 'fix',
    objective: 'Mend it.',
    acceptance: '- It works',
    paths: 'src/a.ts\ntest/',
    tests: 'test/a.test.ts::works',
    expect: 'test/b.test.ts::old',
    setup: 'npm ci',
    test_command: 'npm test',
    verify: 'npm run lint',
    lines: '20',
    allow: 'manifests: package.json',
    profile: 'mechanical, localized',
    budget: 'max_usd: 1',
    priority: '3',
    dependencies: '#1, #2',
  });
  const parsed = parseSpec(body, defaultPolicy);
  expect(parsed).toMatchObject({
    kind: 'valid',
    spec: { dependsOn: [1, 2], expectChanges: ['test/b.test.ts::old'] },
  });
});
