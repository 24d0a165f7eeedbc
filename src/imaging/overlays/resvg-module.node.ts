import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The types of workerd forbid what Node can do: compile bytes. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

/** The compiled SVG renderer in Node. */
export default new Module(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));
