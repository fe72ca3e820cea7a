import { existsSync } from 'node:fs';
import { type WasmPlaces, wasmFolder, wasmOfPackages } from '../guard/parse/load-parsers.ts';

/** The wasm files of the grammars: beside the bundle when there is one, else those of the installed packages. */
export function findWasm(bundleFolder: string): WasmPlaces {
  const places = wasmFolder(bundleFolder);
  return existsSync(places.runtime) ? places : wasmOfPackages();
}
