import { connect, type Server, type Socket } from 'node:net';
import { shellQuote } from './shell-quote.ts';

/**
 * What a program may reach: everything, nothing but its own loopback, or its own loopback and one TCP port of the machine's,
 * which it finds under the same number on 127.0.0.1.
 */
export type NetworkAccess = boolean | { readonly port: number };

/**
 * Runs as first program in a new network namespace: listens there and hands the listening socket out over the channel that
 * the parent opened (file 3), before anything untrusted runs. A socket stays in the namespace that made it.
 */
const listenAndHandOut = [
  "const server = require('node:net').createServer();",
  "process.once('disconnect', () => process.exit(0));",
  "server.once('error', () => process.exit(1));",
  "server.listen(Number(process.argv[1]), '127.0.0.1', 128, () => process.send('listening', server));",
].join(' ');

/** Shell lines that do so and close the channel; a failure ends the shell with 126, which is "could not be started". */
export function innerPortLines(node: string, port: number): string[] {
  // Nothing of the program's environment: an option for Node in it would work on this side of the fence.
  const helper = `env -i NODE_CHANNEL_FD="$NODE_CHANNEL_FD" ${shellQuote(node)} -e ${shellQuote(listenAndHandOut)} ${port}`;
  return [
    `(cd / && ${helper}) || exit 126`,
    'exec 3>&-',
    'unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE',
  ];
}

/** Passes every connection of a listening socket on to one loopback port of this machine, byte for byte. */
export class PortRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(server: Server, port: number) {
    this.#server = server;
    // One side may have said all while it still listens.
    (server as Server & { allowHalfOpen: boolean }).allowHalfOpen = true;
    // What the program does to its own network is no fault of ours.
    server.on('error', () => undefined);
    server.on('connection', (inside) =>
      this.#relay(inside, connect({ port, host: '127.0.0.1', allowHalfOpen: true })),
    );
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #relay(inside: Socket, outside: Socket): void {
    this.#pass(inside, outside);
    this.#pass(outside, inside);
  }

  /** An end is passed on as an end, a break as a break. */
  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.pipe(to);
    from.once('error', () => to.destroy());
    from.once('close', () => {
      this.#sockets.delete(from);
      to.destroySoon();
    });
  }
}
