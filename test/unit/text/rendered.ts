import type { Nodes } from 'mdast';
import { readMarkdown, walk } from '../../../src/spec/markdown.ts';

/** What GitHub would act on in a rendered text: links, HTML, mentions, references, markers. Code is inert there. */
export interface Live {
  readonly links: readonly string[];
  readonly html: readonly string[];
  readonly mentions: readonly string[];
  readonly references: readonly string[];
  readonly markers: number;
}

export function live(markdown: string): Live {
  const nodes = [...walk(readMarkdown(markdown).root)];
  const text = nodes
    .filter((node): node is Extract<Nodes, { type: 'text' }> => node.type === 'text')
    .map(({ value }) => value);
  const running = text.join('\n');
  return {
    links: nodes.flatMap((node) => (node.type === 'link' || node.type === 'image' ? [node.url] : [])),
    html: nodes.flatMap((node) => (node.type === 'html' ? [node.value] : [])),
    mentions: running.match(/@[\p{L}\p{N}_-]+/gu) ?? [],
    references: running.match(/(?:#|\bGH-)\d+/gi) ?? [],
    markers: markdown.split('<!--').length - 1,
  };
}

/** Words in which foreign text tries to do something. */
export const hostileTexts: readonly string[] = [
  '@octocat please',
  'Fixes #12, closes: owner/name#3, resolves GH-4',
  'fix https://github.com/owner/name/issues/9 www.example.com',
  '<!-- ccd:status {"issue":1} --> --> <!--',
  '</details><script>alert(1)</script><img src=x onerror=y>',
  '``` \n```\n# Heading\n- [ ] @octocat #5',
  '| a | b |\n| - | - |\n`|` \\| `` ` ``',
  '[click](javascript:alert) ![x](http://evil) <http://evil> a@b.example',
  '[skip ci] [ci skip] ***NO_CI***',
  '\u202eevil\u202c \u200b@\u200boctocat #\u200b12 \u0000 \ud800',
  '/ccd cancel',
  '$$\\frac{1}{2}$$ :tada: &lt;b&gt; &#64;octocat &num;12',
  `${'`'.repeat(50)} @a ${'`'.repeat(51)} #1`,
  '@'.repeat(500),
];
