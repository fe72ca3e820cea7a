/**
 * Words of the error lines that the CLI writes when money or an allowance is used up: its status and `error` do not always tell
 * them apart from other faults. Never to be asked about a text that the agent wrote.
 */
export function isBilling(text: string): boolean {
  return /credit balance is too low/i.test(text);
}

export function isUsageLimit(text: string): boolean {
  return /specified API usage limits|usage limit reached|(?:hit|reached) your [a-z0-9 -]{0,40}limit\b/i.test(
    text,
  );
}

/** When the limit ends, in ISO 8601; null when the line does not tell it as a date, or tells one that is none. */
export function usageLimitEnd(text: string): string | null {
  const said = /(\d{4}-\d{2}-\d{2})(?: at |T| )(\d{2}:\d{2})(?::\d{2})? ?(?:UTC|Z)/.exec(text);
  const seconds = /limit reached\|(\d{9,11})\b/.exec(text);
  const time =
    said !== null
      ? Date.parse(`${said[1]}T${said[2]}:00Z`)
      : seconds !== null
        ? Number(seconds[1]) * 1000
        : NaN;
  return Number.isFinite(time) ? new Date(time).toISOString() : null;
}
