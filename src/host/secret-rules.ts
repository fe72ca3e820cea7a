import { lintSource } from '@secretlint/core';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';

/** Something shaped like a credential: the name of the rule that found it, and the text itself. */
export interface SecretMatch {
  readonly name: string;
  readonly value: string;
}

/** Comments in the content could switch rules off: what is judged must not choose its judge. */
const usedRules = rules.filter((rule) => !rule.meta.id.endsWith('-filter-comments'));

const config = { rules: usedRules.map((rule) => ({ id: rule.meta.id, rule, options: {} })) };

/**
 * What a well-kept ruleset (secretlint's recommended one) takes for credentials. Addresses with a password that is none, or of
 * hosts that lead nowhere, are left out: tests and documents are full of them.
 */
export async function matchRules(content: string): Promise<SecretMatch[]> {
  const source = { filePath: 'content', content, ext: '', contentType: 'text' } as const;
  const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
  return messages
    .map(({ ruleId, range }) => ({ name: nameOf(ruleId), value: content.slice(...range) }))
    .filter(({ value }) => !isExampleAddress(value));
}

function nameOf(ruleId: string): string {
  return ruleId.replace(/^.*secretlint-rule-/, '');
}

const address = /^[a-z][a-z0-9+.-]*:\/\/([^:@/\s]*):([^@/\s]*)@([^/:?#\s]+)/i;
const nowhere =
  /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|(?:.*\.)?example(?:\.(?:com|org|net))?|.*\.(?:test|invalid|localhost))$/i;
const noPassword =
  /^(?:pass(?:word|wd)?|secret|changeme|postgres|root|admin|user(?:name)?|x+|\*+|\.+|<[^>]*>|\$\{[^}]*\}|\$[A-Z_]+|%[^%]+%)$/i;

function isExampleAddress(value: string): boolean {
  const [, user, password, host] = address.exec(value) ?? [];
  if (password === undefined || host === undefined) return false;
  return nowhere.test(host) || noPassword.test(password) || password === user;
}
