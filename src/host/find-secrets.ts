import { createRedactor, knownSecret, type Redactor, textOf } from './redact.ts';
import { matchRules, type SecretMatch } from './secret-rules.ts';

/** Everything in the content that must not be published: known values, and what looks like a credential. */
export async function findSecrets(content: string | Uint8Array, redactor: Redactor): Promise<SecretMatch[]> {
  const text = textOf(content);
  const own = redactor.matches(text);
  const ruled = await matchRules(text);
  return [...own, ...ruled.filter(({ value }) => !own.some((one) => one.value.includes(value)))];
}

/** Those of `found` that `before` did not hold already. A known value is never pardoned: it is the machine's own. */
export function newSecrets(found: readonly SecretMatch[], before: readonly SecretMatch[]): SecretMatch[] {
  const old = new Set(before.map(({ value }) => value));
  return found.filter(({ name, value }) => name === knownSecret || !old.has(value));
}

/** Takes out of a text what the redactor knows and what the rules found in `all`, of which the text is a part. */
export async function cleanerFor(all: string, redactor: Redactor): Promise<(text: string) => string> {
  const found = createRedactor((await matchRules(all)).map(({ value }) => value));
  return (text) => redactor.clean(found.clean(text));
}

/** The names alone, each once: what may be told of a finding. */
export function secretNames(found: readonly SecretMatch[]): string[] {
  return [...new Set(found.map(({ name }) => name))];
}
