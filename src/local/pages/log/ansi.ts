import { type Html, html } from '../html.ts';

/** Colours and weight of text, as `ESC [ … m` sets them. */
interface Pen {
  readonly color: number | null;
  readonly bold: boolean;
}

const PLAIN: Pen = { color: null, bold: false };

/** CSI and OSC sequences, and other two-character escapes: everything but colours is dropped. */
const ESCAPES =
  /\u001b\[([0-9;:?<=>]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?/g;

/** A line of a terminal's output as markup: its colours as classes, every other control gone. */
export function ansiLine(text: string): Html {
  const parts: Html[] = [];
  let pen = PLAIN;
  let at = 0;
  const put = (piece: string): void => {
    if (piece === '') return;
    const classes = [pen.color === null ? '' : `ansi${pen.color}`, pen.bold ? 'ansi-bold' : '']
      .join(' ')
      .trim();
    parts.push(classes === '' ? html`${piece}` : html`<span class="${classes}">${piece}</span>`);
  };
  for (const match of text.matchAll(ESCAPES)) {
    put(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === 'm') pen = (match[1] ?? '').split(/[;:]/).reduce(applyCode, pen);
  }
  put(text.slice(at));
  return html`${parts}`;
}

function applyCode(pen: Pen, code: string): Pen {
  const value = Number(code === '' ? 0 : code);
  if (value === 0) return PLAIN;
  if (value === 1) return { ...pen, bold: true };
  if (value === 22) return { ...pen, bold: false };
  if (value === 39) return { ...pen, color: null };
  if (value >= 30 && value <= 37) return { ...pen, color: value - 30 };
  return value >= 90 && value <= 97 ? { ...pen, color: value - 90 } : pen;
}
