import { afterAll, beforeAll, describe, it } from 'vitest';
import { credentialsOf, githubTarget } from './github-target.ts';
import { localTarget } from './local-target.ts';
import { NEEDS, type Need, type Opener, type Target } from './target.ts';

export interface Behaviour {
  /** What GitHub does. */
  readonly does: string;
  /** Where that is written: a page of GitHub's documentation, an operation of its description, a thread. */
  readonly source: string;
  readonly needs?: readonly Need[];
  readonly show: (target: Target) => Promise<void>;
}

const credentials = credentialsOf(process.env);

/** Every target that this run has: the local GitHub by both doors, and github.com where somebody gave credentials. */
const OPENERS: readonly Opener[] = [
  localTarget('http'),
  localTarget('in process'),
  ...(credentials ? [githubTarget(credentials)] : []),
];

/**
 * Shows the behaviours of an area on every target. One that a target cannot show is listed with the reason, and counted.
 */
export function behaviours(area: string, list: readonly Behaviour[]): void {
  describe.each(OPENERS)(`${area}: $name`, (opener) => {
    let target: Target;
    const away = list.filter((one) => reasonsFor(opener, one).length > 0);
    beforeAll(async () => {
      target = await opener.open(area);
    });
    afterAll(async () => {
      await target?.close();
      if (away.length > 0)
        process.stdout.write(
          `behaviour: ${area} on ${opener.name}: ${list.length - away.length} shown, ${away.length} not\n`,
        );
    });
    for (const one of list) {
      const title = `${one.does} (${one.source})`;
      const reasons = reasonsFor(opener, one);
      if (reasons.length === 0) it(title, () => one.show(target));
      else it.skip(`${title}: not here, it needs ${reasons.join(' and ')}`, () => undefined);
    }
  });
}

const reasonsFor = (opener: Opener, one: Behaviour): string[] =>
  (one.needs ?? []).filter((need) => opener.lacks.has(need)).map((need) => NEEDS[need]);

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly errors: readonly Readonly<Record<string, unknown>>[];
}

/** How a call was refused. Throws when it was not. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  const error = await call.then(
    () => null,
    (cause: unknown) => cause as { status: number; message: string; response?: { data?: unknown } },
  );
  if (error === null) throw new Error('The call was expected to be refused.');
  const data = (error.response?.data ?? {}) as { message?: string; errors?: Refusal['errors'] };
  return { status: error.status, message: data.message ?? error.message, errors: data.errors ?? [] };
}
