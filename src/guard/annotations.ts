import type { Finding } from '../domain/verdict.ts';

/** An annotation as GitHub's check runs take it. */
export interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: 'failure';
  readonly title: string;
  readonly message: string;
}

/** Most annotations that one request may carry. */
export const annotationsPerRequest = 50;
const maxTitle = 255;
const maxMessageBytes = 64 * 1024;

/** Findings that name a file, as annotations in pages of 50; a finding for a whole file stands at its first line. */
export function toAnnotations(findings: readonly Finding[]): Annotation[][] {
  const annotations = findings.flatMap(annotationOf);
  const pages: Annotation[][] = [];
  for (let at = 0; at < annotations.length; at += annotationsPerRequest) {
    pages.push(annotations.slice(at, at + annotationsPerRequest));
  }
  return pages;
}

function annotationOf({ rule, class: kind, file, line, reason, remedy, fingerprint }: Finding): Annotation[] {
  if (file === null) return [];
  return [
    {
      path: file,
      start_line: line ?? 1,
      end_line: line ?? 1,
      annotation_level: 'failure',
      title: `${rule} ${kind}`.slice(0, maxTitle),
      message: cutBytes(`${reason}\n\n${remedy}\n\n${fingerprint}`, maxMessageBytes),
    },
  ];
}

/** Cuts a text to a number of UTF-8 bytes without breaking a character. */
function cutBytes(text: string, bytes: number): string {
  const encoded = new TextEncoder().encode(text);
  if (encoded.length <= bytes) return text;
  return new TextDecoder().decode(encoded.subarray(0, bytes)).replace(/\ufffd+$/, '');
}
