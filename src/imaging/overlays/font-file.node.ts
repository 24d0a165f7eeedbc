import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The font of the overlays as a TrueType file, in Node. Built by `npm run wasm`. */
export default new Uint8Array(readFileSync(join(import.meta.dirname, '../../../build/overlay-font.ttf')));
