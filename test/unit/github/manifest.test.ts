import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { webhookPath } from '../../../src/app/serve.ts';
import { manifest } from './manifest.ts';

const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');

/** First columns of the first table below a heading, up to `columns` of them. */
function table(heading: string, columns: number): string[][] {
  const below = page
    .slice(page.indexOf(`\n## ${heading}\n`))
    .split('\n')
    .slice(2);
  const start = below.findIndex((line) => line.startsWith('| ---'));
  const rows = below.slice(start + 1);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, columns + 1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

it('asks for exactly the permissions that have a reason', () => {
  expect(Object.fromEntries(table('Permissions of the app', 2))).toEqual(manifest.default_permissions);
});

it('asks for exactly the events that have a reason', () => {
  expect(table('Events', 1).flat().sort()).toEqual(manifest.default_events);
});

it('sends webhooks where the app listens', () => {
  expect(new URL(manifest.hook_attributes.url).pathname).toBe(webhookPath);
});
