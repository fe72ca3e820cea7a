import { describe, expect, it } from 'vitest';
import { markdown } from '../../../../src/local/pages/markdown.ts';
import type { Issue } from '../../../../src/local/records/issue.ts';
import type { Repo } from '../../../../src/local/records/repository.ts';

const repo = {
  owner: { login: 'ada' },
  name: 'demo',
  defaultBranch: 'main',
  issues: new Map([[7, { number: 7, pull: null } as Issue]]),
} as unknown as Repo;

const shown = (text: string, at = {}): string => String(markdown(text, { repo, ...at }));
const tags = (text: string): string[] => [...shown(text).matchAll(/<([a-z0-9]+)/g)].map((match) => match[1]!);

describe('markdown', () => {
  it('shows GitHub’s Markdown', () => {
    const text =
      '# A\n\n- [x] b\n\n| c | d |\n| - | -: |\n| `e` | ~~f~~ |\n\n```\ng\n```\n\nhttps://h.example\n\n> i\n\n1. j\n';
    expect(new Set(tags(text))).toEqual(
      new Set([
        'div',
        'h2',
        'ul',
        'li',
        'span',
        'table',
        'thead',
        'tbody',
        'tr',
        'th',
        'td',
        'code',
        'del',
        'pre',
        'p',
        'a',
        'blockquote',
        'ol',
      ]),
    );
  });

  it('makes of HTML text, of comments nothing', () => {
    const text =
      '<script>alert(1)</script>\n\na <img src=x onerror=alert(1)> b\n\n<!-- marker -->\n\n<details><summary>x</summary></details>';
    expect(tags(text).filter((tag) => ['script', 'img', 'details', 'summary'].includes(tag))).toEqual([]);
    expect(shown(text)).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(shown(text)).not.toContain('marker');
  });

  it('follows no address that is not http(s) or of this repository, and marks those that it follows', () => {
    const text =
      '[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) [d](https://x.example) [e](../../../etc) ![f](http://x.example/f.png)';
    expect(
      [...shown(text).matchAll(/<a href="([^"]*)" rel="nofollow noopener">/g)].map((match) => match[1]),
    ).toEqual(['https://x.example', 'http://x.example/f.png']);
    expect(tags(text)).not.toContain('img');
  });

  it('takes relative addresses for files, seen from where the text stands, and #7 for what has that number', () => {
    const text = '[a](b.md) [c](../d.md#e) [f](/g%20h) #7 #8';
    const links = [...shown(text, { rev: 'topic/x', folder: 'docs' }).matchAll(/href="([^"]*)"/g)].map(
      (match) => match[1],
    );
    expect(links).toEqual([
      '/ada/demo/blob/topic/x/docs/b.md',
      '/ada/demo/blob/topic/x/d.md#e',
      '/ada/demo/blob/topic/x/g%20h',
      '/ada/demo/issues/7',
    ]);
  });

  it.each([
    '[',
    '*a ',
    '_a',
    '<a ',
    '`a',
    '> ',
    '- ',
    '![',
    '*_',
    '- a\n',
    '[a](',
    '<!-- ',
    '[^a]',
    '[^a]: b\n\n',
    '||\n',
    '&#',
    '\\',
    'a@b.c ',
  ])('takes no more than a moment for 60,000 characters of %j', (piece) => {
    const began = performance.now();
    expect(shown(piece.repeat(Math.ceil(60_000 / piece.length))).length).toBeGreaterThan(100);
    expect(performance.now() - began).toBeLessThan(4000);
  });

  it('shows what is too long for Markdown as it is', () => {
    const made = shown(`# x\n\n${'<b> '.repeat(250_000)}`);
    expect(made).toContain('too long');
    expect(made).toContain('<pre class="plain"># x\n\n&lt;b&gt; ');
  });
});
