import { visible } from '../text/escape.ts';

/** Project instructions longer than this are cut. */
const maxInstructions = 64 * 1024;

/**
 * The text appended to the agent's system prompt: our rules, then the project's own instructions as trunk has them. They
 * are handed in by us because the agent reads no settings of the repository it works in.
 */
export function rulesText(projectInstructions: string | null): string {
  const ours = [
    'You work without supervision: nobody answers questions. Decide, and say in the summary what you decided.',
    'Your work is judged by what you leave in the files and by tests that are run afterwards, never by what you say.',
    'Keep changes small and inside the paths you were given. Never weaken, skip or delete a test to make it pass.',
    'If the task cannot be done as described, change nothing more and say why.',
  ].join('\n');
  if (projectInstructions === null) return `${ours}\n`;
  const shown = visible(projectInstructions).slice(0, maxInstructions);
  return `${ours}\n\nInstructions of this project:\n\n${shown}\n`;
}
