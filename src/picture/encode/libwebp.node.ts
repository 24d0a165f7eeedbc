import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The constructor with bytes, which the types of workerd exclude. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

/** The compiled libwebp in Node. */
export default new Module(readFileSync(createRequire(import.meta.url).resolve('@jsquash/webp/codec/enc/webp_enc_simd.wasm')));
