/** Trailer lines of a commit message: `Key: value`, in the order given, as the last paragraph. */
export type Trailers = readonly (readonly [key: string, value: string])[];

export function renderTrailers(subject: string, trailers: Trailers): string {
  return `${subject}\n\n${trailers.map(([key, value]) => `${key}: ${value}`).join('\n')}\n`;
}

/**
 * The trailers of a message that we wrote: one subject line, a blank line, nothing but trailers. Any other form gives null, so
 * that a message with our trailers somewhere inside it is never taken for ours.
 */
export function parseTrailers(message: string): { subject: string; trailers: Trailers } | null {
  const lines = message.replace(/\n$/, '').split('\n');
  const [subject = '', gap, ...rest] = lines;
  if (subject === '' || gap !== '' || rest.length === 0) return null;
  const trailers = rest.map((line) => /^(Ccd-[A-Z][a-z]+): (\S.*)$/.exec(line));
  if (trailers.some((match) => match === null)) return null;
  return { subject, trailers: trailers.map((match) => [match?.[1] ?? '', match?.[2] ?? ''] as const) };
}

/** The value of a key that stands exactly once, else null. */
export function onlyValue(trailers: Trailers, key: string): string | null {
  const values = trailers.filter(([name]) => name === key);
  return values.length === 1 ? (values[0]?.[1] ?? null) : null;
}
