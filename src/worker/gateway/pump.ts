import type { Readable, Writable } from 'node:stream';

export type PumpEnd = 'whole' | 'stalled' | 'broke-off' | 'child-left';

/**
 * Carries an answer over piece by piece, no faster than it is taken. `see` looks at each piece before it goes on. When the
 * source is silent for `silenceMs` it is broken off; while the taker is slow nobody waits for the source.
 */
export async function pump(
  source: Readable,
  taker: Writable,
  silenceMs: number,
  see: (bytes: Buffer) => Promise<void> | null,
): Promise<PumpEnd> {
  let stalled = false;
  let busy = false;
  const timer = setTimeout(() => {
    if (busy) {
      timer.refresh();
      return;
    }
    stalled = true;
    source.destroy(new Error('stalled'));
  }, silenceMs);
  const leave = () => source.destroy();
  taker.once('close', leave);
  try {
    for await (const bytes of source as AsyncIterable<Buffer>) {
      busy = true;
      const seen = see(bytes);
      if (seen !== null) await seen;
      if (taker.destroyed) return 'child-left';
      if (!taker.write(bytes)) await roomIn(taker);
      busy = false;
      timer.refresh();
    }
    return taker.destroyed ? 'child-left' : 'whole';
  } catch {
    if (stalled) return 'stalled';
    return taker.destroyed ? 'child-left' : 'broke-off';
  } finally {
    clearTimeout(timer);
    taker.off('close', leave);
  }
}

async function roomIn(taker: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      taker.off('drain', done);
      taker.off('close', done);
      resolve();
    };
    taker.on('drain', done);
    taker.on('close', done);
  });
}
