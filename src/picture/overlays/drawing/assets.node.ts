// Renderer, font and drawings of the overlays in Node, read from files.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The constructor with bytes, which the types of workerd exclude. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

const drawing = (name: string) => readFileSync(join(import.meta.dirname, 'drawings', `${name}.svg`), 'utf8');

export const resvg = new Module(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));

/** The font as a TrueType file, built by `npm run wasm`. */
export const font = new Uint8Array(readFileSync(join(import.meta.dirname, '../../../../build/overlay-font.ttf')));

/** SVG documents of `drawings/`. */
export const drawings = { earth: drawing('earth'), mark: drawing('mark'), moon: drawing('moon'), name: drawing('name') };
