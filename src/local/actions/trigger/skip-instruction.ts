const INSTRUCTIONS = ['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]'];

/** Whether a head commit's message asks for no `push` and `pull_request` runs ("Skipping workflow runs", GitHub docs). */
export function asksToSkip(message: string): boolean {
  const text = message.toLowerCase();
  return (
    INSTRUCTIONS.some((word) => text.includes(word)) ||
    /\n\n(?:[^\n]*\n)*?skip-checks:\s*true\s*$/m.test(text)
  );
}
