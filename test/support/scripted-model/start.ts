// The server itself is plain JavaScript without types, so that it can also be run by itself.
import { startScriptedModel } from './server.mjs';

export interface ModelRequest {
  readonly method: string;
  readonly path: string;
  readonly auth: string;
  readonly model?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly messages?: number;
  readonly last?: string;
  readonly tools?: readonly string[];
}

export interface ScriptedModel {
  readonly url: string;
  urlFor(script: string, run?: string): string;
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

/** Starts a stand-in for the Messages API that plays back scripts; see README.md for what a turn may be. */
export function startModel(scripts: Readonly<Record<string, unknown>>): Promise<ScriptedModel> {
  return startScriptedModel({ scripts }) as Promise<ScriptedModel>;
}
