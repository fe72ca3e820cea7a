import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

/** What app.yml asks for: the tests run with these rights and no others. */
export const manifest = z
  .object({
    hook_attributes: z.object({ url: z.string() }),
    default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
    default_events: z.array(z.string()),
  })
  .parse(parse(readFileSync(new URL('../../../app.yml', import.meta.url), 'utf8')));
