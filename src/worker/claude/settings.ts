/** Places that no task may write: told to the model as rules. The guard is what enforces them. */
const protectedPatterns = [
  '.github/**',
  '.claude/**',
  '.git/**',
  '**/CLAUDE.md',
  '**/AGENTS.md',
  '.gitattributes',
];

/**
 * The agent's settings file as JSON text. Broken JSON in it would be ignored silently, so it is always written by a
 * serializer. Only `Edit(pattern)` is used: it covers Write and simple redirects; `Write(…)` and a leading `/` do nothing.
 */
export function settingsJson(): string {
  const deny = protectedPatterns.map((pattern) => `Edit(${pattern})`);
  return `${JSON.stringify({ permissions: { deny } }, null, 2)}\n`;
}
