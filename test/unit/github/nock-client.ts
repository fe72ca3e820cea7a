import nock from 'nock';

/** Forbids the network; to be called before the tests of a file. */
export function isolate(): void {
  addWithResolvers();
  nock.disableNetConnect();
}

/** Fails when an expected request was never made, then forgets all. */
export function assertAllAsked(): void {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  if (pending.length > 0) throw new Error(`never asked: ${pending.join(', ')}`);
}

/** nock's interceptors call `Promise.withResolvers`, which Node 20 lacks. */
function addWithResolvers(): void {
  const target: { withResolvers?: unknown } = Promise as object;
  target.withResolvers ??= () => {
    let settle = {};
    const promise = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    return { promise, ...settle };
  };
}
