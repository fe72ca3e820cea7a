import { describe, expect, it } from 'vitest';
import { matchesFilters } from '../../../../src/local/actions/trigger/filter-pattern.ts';

// From GitHub's "filter pattern cheat sheet".
describe('filter patterns', () => {
  it.each([
    ['feature/*', ['feature/my-branch', 'feature/your-branch'], ['feature', 'feature/a/b', 'xfeature/a']],
    ['feature/**', ['feature/beta-a/my-branch', 'feature/x'], ['features']],
    ['releases/mona-the-cat', ['releases/mona-the-cat'], ['releases/mona']],
    ['*', ['main', 'releases'], ['all/the/branches']],
    ['**', ['all/the/branches', 'every/tag'], []],
    ['*feature', ['mona-feature', 'feature'], ['feature-mona', 'a/feature']],
    ['v2*', ['v2', 'v2.0', 'v2.9'], ['v1', 'av2']],
    ['v[12].[0-9]+.[0-9]+', ['v1.10.1', 'v2.0.0'], ['v3.0.0', 'v1.x.0']],
    ['*.jsx?', ['page.js', 'page.jsx'], ['page.ts', 'js/page.js']],
    ['**.js', ['index.js', 'js/index.js', 'src/js/app.js'], ['index.jsx']],
    ['docs/*', ['docs/README.md'], ['docs/a/b.md']],
    ['docs/**/*.md', ['docs/README.md', 'docs/mona/hello-world.md', 'docs/a/markdown/file.md'], ['doc/a.md']],
    ['**/docs/**', ['docs/hello.md', 'dir/docs/my-file.txt', 'space/docs/plan/space.doc'], ['docs']],
    ['**/README.md', ['README.md', 'js/README.md'], ['README.mdx']],
    ['**/*-post.md', ['my-post.md', 'path/their-post.md'], ['post.md.x']],
    ['**/migrate-*.sql', ['migrate-10909.sql', 'db/sept/migrate-v1.sql'], ['migrate.sql']],
    ['a+b(c)', ['ab(c)', 'aab(c)'], ['b(c)']],
  ])('%s', (pattern, inside, outside) => {
    for (const name of inside) expect([name, matchesFilters(name, [pattern])]).toEqual([name, true]);
    for (const name of outside) expect([name, matchesFilters(name, [pattern])]).toEqual([name, false]);
  });

  it('lets the last matching pattern decide', () => {
    const patterns = ['releases/**', '!releases/**-alpha', 'releases/keep-alpha'];
    expect(matchesFilters('releases/10', patterns)).toBe(true);
    expect(matchesFilters('releases/10-alpha', patterns)).toBe(false);
    expect(matchesFilters('releases/keep-alpha', patterns)).toBe(true);
  });
});
