/** One field of a cron line: its bounds, and names that stand for numbers. */
const FIELDS = [
  { from: 0, to: 59, names: [] },
  { from: 0, to: 23, names: [] },
  { from: 1, to: 31, names: [] },
  { from: 1, to: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { from: 0, to: 6, names: 'sun mon tue wed thu fri sat'.split(' ') },
] as const;

type Field = (typeof FIELDS)[number];

function numberOf(text: string, field: Field): number {
  const named = (field.names as readonly string[]).indexOf(text.toLowerCase());
  const value = named >= 0 ? named + field.from : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  // Some write Sunday as 7.
  const number = field.to === 6 && value === 7 ? 0 : value;
  if (!(number >= field.from && number <= field.to)) throw new RangeError(`cron: ${text} is out of range`);
  return number;
}

function parseField(text: string, field: Field): ReadonlySet<number> {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [low = '', high] = range.split('-');
    const from = range === '*' ? field.from : numberOf(low, field);
    const open = part.includes('/') ? field.to : from;
    const to = range === '*' ? field.to : high === undefined ? open : numberOf(high, field);
    if (!/^[1-9]\d*$/.test(step)) throw new RangeError(`cron: the step ${step} is no number`);
    for (let value = from; value <= to; value += Number(step)) found.add(value);
  }
  return found;
}

/** A cron line of five fields, read. */
export interface Cron {
  readonly fields: readonly ReadonlySet<number>[];
  readonly anyDay: boolean;
  readonly anyWeekday: boolean;
}

/** Reads a POSIX cron line: `*`, lists, ranges, steps, names of months and days. Throws a RangeError on anything else. */
export function parseCron(line: string): Cron {
  const parts = line.trim().split(/\s+/);
  if (parts.length !== 5) throw new RangeError(`cron: '${line}' has not five fields`);
  const fields = parts.map((part, index) => parseField(part, FIELDS[index]!));
  return { fields, anyDay: parts[2]!.startsWith('*'), anyWeekday: parts[4]!.startsWith('*') };
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Minute, hour, day, month and weekday of a moment as a wall clock of the zone shows them. Throws on an unknown zone. */
function wallClock(time: number, timezone: string): readonly number[] {
  const known = clocks.get(timezone);
  const clock =
    known ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      ...{ minute: 'numeric', hour: 'numeric', day: 'numeric', month: 'numeric', weekday: 'short' },
    });
  clocks.set(timezone, clock);
  const parts = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, value]));
  const weekday = FIELDS[4].names.indexOf(parts.weekday!.toLowerCase());
  return [Number(parts.minute), Number(parts.hour), Number(parts.day), Number(parts.month), weekday];
}

/** Whether a cron line names the minute of a moment. Day and weekday: either one, when both are restricted (POSIX). */
export function cronMatches(cron: Cron, time: number, timezone: string): boolean {
  const [minute, hour, day, month, weekday] = wallClock(time, timezone).map((value, index) =>
    cron.fields[index]!.has(value),
  );
  const today = cron.anyDay || cron.anyWeekday ? day && weekday : day || weekday;
  return Boolean(minute && hour && month && today);
}

const MINUTE = 60_000;
/** A clock that jumps further than this loses what lay before. */
const LOOK_BACK = 366 * 24 * 60;

/** Whether the line names a minute that began after `from` and not after `to` (milliseconds). */
export function cronDue(cron: Cron, timezone: string, from: number, to: number): boolean {
  const last = Math.floor(to / MINUTE);
  const first = Math.max(Math.floor(from / MINUTE) + 1, last - LOOK_BACK);
  for (let minute = last; minute >= first; minute -= 1)
    if (cronMatches(cron, minute * MINUTE, timezone)) return true;
  return false;
}
