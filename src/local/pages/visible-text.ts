/** Characters that a person does not see, or that turn what stands after them around. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Makes control and direction characters readable (`[U+202E]`), so that a name shows what it is and cannot reorder its
 * surroundings (CVE-2021-42574). Tab and line feed stay, carriage returns before a line feed go.
 */
export function visibleText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `[U+${code.padStart(4, '0')}]`;
  });
}
