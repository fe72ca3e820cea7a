/** Characters that are there and cannot be seen, or that reorder what is seen. Joiners between emoji are judged apart. */
const hidden =
  /\u034f|\u17b4|\u17b5|[\u00ad\u061c]|[\u115f\u1160]|[\u180b-\u180f]|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{110bd}\u{1bca0}-\u{1bca3}]|[\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e0fff}]/u;
const joiner = /\u200c|\u200d|\p{Variation_Selector}/u;
const afterEmoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|\u20e3|[#*0-9])$/u;
const needsJoiner =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Kannada}\p{Script=Telugu}\p{Script=Tamil}\p{Script=Gujarati}\p{Script=Khmer}\p{Script=Mongolian}]$/u;
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/;

/** The first character of a text that cannot be seen, as `U+XXXX`; null when there is none. A leading byte order mark is no such. */
export function invisibleCharacter(text: string): string | null {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
  const found = hidden.exec(plain)?.[0] ?? control.exec(plain)?.[0] ?? strayJoiner(plain);
  return found === null || found === undefined ? null : codePoint(found);
}

function strayJoiner(text: string): string | null {
  for (const match of text.matchAll(new RegExp(joiner, 'gu'))) {
    const before = text.slice(Math.max(0, match.index - 4), match.index);
    if (!afterEmoji.test(before) && !needsJoiner.test(before)) return match[0];
  }
  return null;
}

export function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Letters of other scripts that look like Latin ones, the most common of Unicode's confusables. */
const lookAlikes: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['аᴀɑα', 'a'],
    ['ЬƄ', 'b'],
    ['сϲᴄⅽ', 'c'],
    ['ԁⅾ', 'd'],
    ['еҽ℮', 'e'],
    ['ꬵϝ', 'f'],
    ['ɡց', 'g'],
    ['һհ', 'h'],
    ['іıɩιӏ', 'i'],
    ['јϳ', 'j'],
    ['κкᴋ', 'k'],
    ['ⅼ', 'l'],
    ['ⅿм', 'm'],
    ['ոп', 'n'],
    ['оοօσ', 'o'],
    ['рρ', 'p'],
    ['ԛզ', 'q'],
    ['гᴦ', 'r'],
    ['ѕ', 's'],
    ['тτ', 't'],
    ['υսս', 'u'],
    ['ѵνⅴ', 'v'],
    ['ԝѡ', 'w'],
    ['хχⅹ', 'x'],
    ['уγү', 'y'],
    ['ᴢ', 'z'],
    ['АΑ', 'A'],
    ['ВΒ', 'B'],
    ['СϹⅭ', 'C'],
    ['ЕΕ', 'E'],
    ['НΗ', 'H'],
    ['ІΙⅠӀ', 'I'],
    ['ЈͿ', 'J'],
    ['КΚ', 'K'],
    ['МΜⅯ', 'M'],
    ['Ν', 'N'],
    ['ОΟ', 'O'],
    ['РΡ', 'P'],
    ['Ѕ', 'S'],
    ['ТΤ', 'T'],
    ['ХΧⅩ', 'X'],
    ['ΥҮ', 'Y'],
    ['Ζ', 'Z'],
  ].flatMap(([letters, latin]) => [...(letters ?? '')].map((letter) => [letter, latin ?? ''])),
);

const scripts = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Cherokee',
  'Coptic',
  'Georgian',
  'Hebrew',
  'Arabic',
].map((name) => new RegExp(`\\p{Script=${name}}`, 'u'));

/** Why an identifier may be taken for another one; null when it is fine. */
export function deceptiveIdentifier(name: string): string | null {
  if (/^[\x20-\x7e]*$/.test(name)) return null;
  if (name !== name.normalize('NFKC')) return 'has another normal form';
  if (scripts.filter((script) => script.test(name)).length > 1) return 'mixes scripts';
  const skeleton = [...name].map((char) => lookAlikes[char] ?? char).join('');
  return /^[\x20-\x7e]*$/.test(skeleton) ? `looks like "${skeleton}"` : null;
}
