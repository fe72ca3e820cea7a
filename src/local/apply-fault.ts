import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './faults.ts';

/** Carries out a fault. True when the request has been answered or torn by it. */
export async function applyFault(
  fault: Fault,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (fault.delayMs) await wait(fault.delayMs);
  if (fault.reset) {
    request.socket.resetAndDestroy();
    return true;
  }
  if (fault.status === undefined) return false;
  const body = fault.body ?? { message: 'Server Error' };
  response
    .writeHead(fault.status, { 'content-type': 'application/json; charset=utf-8', ...fault.headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
  return true;
}
