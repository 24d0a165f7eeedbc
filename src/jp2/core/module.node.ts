import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The constructor with bytes, which the types of workerd exclude. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

/** The compiled decoder core in Node, built by `npm run wasm`. */
export default new Module(readFileSync(join(import.meta.dirname, '../../../build/core.wasm')));
