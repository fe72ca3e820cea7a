// Loaded before an app: its host's clock is off by the milliseconds that stand in the file CCD_TEST_CLOCK, which may change while it runs.
import { readFileSync } from 'node:fs';

const HostDate = globalThis.Date;
const hostNow = HostDate.now.bind(HostDate);
const off = () => Number(readFileSync(process.env.CCD_TEST_CLOCK, 'utf8'));

globalThis.Date = class extends HostDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [hostNow() + off()] : parts));
  }
  static now() {
    return hostNow() + off();
  }
};
