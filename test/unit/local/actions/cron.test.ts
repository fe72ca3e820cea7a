import { describe, expect, it } from 'vitest';
import { cronDue, cronMatches, parseCron } from '../../../../src/local/actions/trigger/cron.ts';

const at = (text: string): number => Date.parse(text);
const matches = (line: string, time: string, zone = 'UTC') => cronMatches(parseCron(line), at(time), zone);

describe('cron lines', () => {
  it.each([
    ['0 3 * * *', '2026-03-10T03:00:00Z', true],
    ['0 3 * * *', '2026-03-10T03:00:59Z', true],
    ['0 3 * * *', '2026-03-10T03:01:00Z', false],
    ['*/15 * * * *', '2026-03-10T11:45:00Z', true],
    ['*/15 * * * *', '2026-03-10T11:46:00Z', false],
    ['5/20 * * * *', '2026-03-10T11:45:00Z', true],
    ['30 9-17 * * MON-FRI', '2026-03-10T12:30:00Z', true],
    ['30 9-17 * * mon-fri', '2026-03-08T12:30:00Z', false],
    ['0 0 1,15 JAN *', '2026-01-15T00:00:00Z', true],
    ['0 0 1,15 JAN *', '2026-02-15T00:00:00Z', false],
    // Either day, when both are restricted: the 13th, or a Friday.
    ['0 0 13 * 5', '2026-03-13T00:00:00Z', true],
    ['0 0 13 * 5', '2026-03-20T00:00:00Z', true],
    ['0 0 13 * 5', '2026-03-21T00:00:00Z', false],
    ['0 0 * * 7', '2026-03-08T00:00:00Z', true],
  ])('%s at %s: %s', (line, time, expected) => {
    expect(matches(line, time)).toBe(expected);
  });

  it('follow the wall clock of their zone, summer and winter', () => {
    expect(matches('0 3 * * *', '2026-01-10T02:00:00Z', 'Europe/Berlin')).toBe(true);
    expect(matches('0 3 * * *', '2026-07-10T01:00:00Z', 'Europe/Berlin')).toBe(true);
    expect(matches('0 3 * * *', '2026-07-10T02:00:00Z', 'Europe/Berlin')).toBe(false);
    expect(matches('0 0 * * *', '2026-07-10T00:00:00Z')).toBe(true);
  });

  it('are due when their minute began since the last look', () => {
    const cron = parseCron('0 3 * * *');
    const due = (from: string, to: string) => cronDue(cron, 'UTC', at(from), at(to));
    expect(due('2026-03-10T02:59:30Z', '2026-03-10T03:00:00Z')).toBe(true);
    expect(due('2026-03-10T03:00:00Z', '2026-03-10T03:30:00Z')).toBe(false);
    expect(due('2026-03-10T03:30:00Z', '2026-03-12T02:00:00Z')).toBe(true);
    expect(due('2026-03-10T03:30:00Z', '2026-03-10T03:30:00Z')).toBe(false);
  });

  it.each(['* * * *', '61 * * * *', 'x * * * *', '*/0 * * * *', '0 0 0 * *', '0 0 * foo *'])(
    '%s is refused',
    (line) => {
      expect(() => parseCron(line)).toThrow(RangeError);
    },
  );
});
