type Chars = readonly string[];
/** Which places of a text (0 to its length) are reached. */
type Places = readonly boolean[];

/** One piece of a pattern: the places reached before it become those reached after it, in one walk over the text. */
export type GlobPiece = (text: Chars, at: Places) => Places;

type Test = (char: string) => boolean;

/** Exactly one character. */
export const once =
  (test: Test): GlobPiece =>
  (text, at) => [false, ...text.map((char, index) => at[index]! && test(char))];

/** Any number of characters, none included. */
export const many =
  (test: Test): GlobPiece =>
  (text, at) => {
    const next = [at[0]!];
    for (const [index, char] of text.entries()) next.push(at[index + 1]! || (next[index]! && test(char)));
    return next;
  };

/** One or none. */
export const optional =
  (test: Test): GlobPiece =>
  (text, at) =>
    once(test)(text, at).map((reached, index) => reached || at[index]!);

/** One or more. */
export const some =
  (test: Test): GlobPiece =>
  (text, at) =>
    many(test)(text, once(test)(text, at));

/** Nothing, or any text that ends with a slash. */
export const anyFolders: GlobPiece = (text, at) => {
  const next = [at[0]!];
  let begun = false;
  for (const [index, char] of text.entries()) {
    begun ||= at[index]!;
    next.push(at[index + 1]! || (begun && char === '/'));
  }
  return next;
};

/** Any number of folders, each with a name and a slash. */
export const namedFolders: GlobPiece = (text, at) => {
  const next = [at[0]!];
  let inside = false;
  for (const [index, char] of text.entries()) {
    next.push(at[index + 1]! || (inside && char === '/'));
    inside = char !== '/' && (inside || next[index]!);
  }
  return next;
};

/** Characters of a set (`[a-z]`, `[^0-9]`); one that is none (`[z-a]`) holds no character. */
export function charSet(source: string): Test {
  try {
    const set = new RegExp(`^${source}$`, 'u');
    return (char) => set.test(char);
  } catch {
    return () => false;
  }
}

/** True when the whole text fits. Takes pieces times characters, whatever the pattern: patterns come from outside. */
export function matchesGlob(pieces: readonly GlobPiece[], text: string): boolean {
  const chars = [...text];
  const start: Places = [true, ...chars.map(() => false)];
  return pieces.reduce((at, piece) => piece(chars, at), start).at(-1)!;
}
