import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The types of workerd forbid what Node can do: compile bytes. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

/** The compiled decoder core in Node. Built by `npm run wasm`. */
export default new Module(readFileSync(join(import.meta.dirname, '../../../build/core.wasm')));
