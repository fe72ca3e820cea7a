import { describe, expect, it } from 'vitest';
import { LineReader } from '../../../../src/local/actions/runner/line-reader.ts';
import { expandMatrix } from '../../../../src/local/actions/runs/matrix.ts';
import { matchesFilters } from '../../../../src/local/actions/trigger/filter-pattern.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a matrix', () => {
  it('makes 256 jobs at most, however they come about', () => {
    expect(expandMatrix({ a: numbers(16), b: numbers(16) })).toHaveLength(256);
    expect(() => expandMatrix({ a: numbers(257) })).toThrow('256');
    expect(() => expandMatrix({ include: numbers(257).map((a) => ({ a })) })).toThrow('256');
    const axes = numbers(20).map((axis) => [`a${axis}`, numbers(20)] as const);
    expect(() => expandMatrix(Object.fromEntries(axes))).toThrow('256');
  });

  it('counts what is left of it', () => {
    const exclude = numbers(44).map((b) => ({ a: 0, b }));
    expect(expandMatrix({ a: numbers(3), b: numbers(100), exclude })).toHaveLength(256);
  });
});

describe('lines of a step', () => {
  const linesOf = (chunks: Iterable<string>): string[] => {
    const lines: string[] = [];
    const reader = new LineReader((line) => lines.push(line));
    for (const chunk of chunks) reader.take(chunk);
    reader.close();
    return lines;
  };

  it('are the same however they are cut', () => {
    const whole = 'one\r\n\ntwo\nthree';
    expect(linesOf([whole])).toEqual(['one', '', 'two', 'three']);
    expect(linesOf(whole)).toEqual(['one', '', 'two', 'three']);
    expect(linesOf(['one\n'])).toEqual(['one']);
  });

  it('of fifty million characters come in parts, and soon', () => {
    const began = performance.now();
    const lines = linesOf(numbers(800).map(() => 'x'.repeat(65_536)));
    expect(lines.length).toBe(50);
    expect(lines.join('').length).toBe(800 * 65_536);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

it('a filter pattern takes no time that grows with what it could fit', () => {
  const began = performance.now();
  expect(matchesFilters('a'.repeat(200), [`${'a?'.repeat(40)}${'*a'.repeat(40)}b`])).toBe(false);
  expect(matchesFilters('a+', ['[z-a]', '*+', 'a\\+'])).toBe(true);
  expect(performance.now() - began).toBeLessThan(500);
});
