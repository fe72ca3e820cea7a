import { expect, test } from 'vitest';
import { phaseSchema } from '../../../src/domain/state.ts';
import { labelTexts, projectLabels } from '../../../src/text/labels.ts';

test('each phase has its label within what GitHub takes', () => {
  expect(labelTexts.map(({ name }) => name).sort()).toEqual(
    ['ccd:dispatch', ...phaseSchema.options.map((phase) => `ccd:${phase}`)].sort(),
  );
  for (const { name, color, description } of labelTexts) {
    expect(name.length).toBeLessThanOrEqual(50);
    expect(color).toMatch(/^[0-9a-f]{6}$/);
    expect(description.length).toBeLessThanOrEqual(100);
  }
});

test('exactly one phase label stands; others are left alone', () => {
  expect(projectLabels(['bug', 'ccd:dispatch', 'ccd:ready', 'ccd:held'], 'running')).toEqual({
    add: ['ccd:running'],
    remove: ['ccd:ready', 'ccd:held'],
  });
  expect(projectLabels(['ccd:running'], 'running')).toEqual({ add: [], remove: [] });
  expect(projectLabels(['ccd:running', 'x'], null)).toEqual({ add: [], remove: ['ccd:running'] });
});
