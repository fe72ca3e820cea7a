/** A text that can be shown in one line: everything but printable ASCII and letters as an escape, cut at 300 characters. */
export function escapeText(text: string): string {
  const shown = text.replace(
    /[^\x20-\x7e\p{L}\p{N}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
  return shown.length > 300 ? `${shown.slice(0, 297)}...` : shown;
}
