import { visibleText } from './visible-text.ts';

/** Markup that was made by the `html` tag: the only thing that reaches a page unescaped. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** For the tag below alone: it hands in literals of this source code and escaped values. */
  static made(strings: TemplateStringsArray, values: readonly Piece[]): Html {
    let text = strings[0] ?? '';
    values.forEach((value, index) => {
      text += written(value) + (strings[index + 1] ?? '');
    });
    return new Html(text);
  }
}

/** What may stand in a template: text is escaped, null and false write nothing. */
export type Piece = Html | string | number | null | undefined | false | readonly Piece[];

/** Builds markup. Every value is escaped for text and for quoted attributes; attributes have to be quoted. */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return Html.made(strings, values);
}

function written(value: Piece): string {
  if (value instanceof Html) return value.toString();
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  return value.map(written).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

const escapeText = (text: string): string => visibleText(text).replace(/[&<>"'`]/g, (one) => ENTITIES[one]!);
