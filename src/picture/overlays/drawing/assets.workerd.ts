// Renderer, font and drawings of the overlays in workerd, bundled as modules. workerd compiles WebAssembly at deploy time only.
import resvg from '@resvg/resvg-wasm/index_bg.wasm';
import fontFile from '../../../../build/overlay-font.ttf';
import earth from './drawings/earth.svg';
import mark from './drawings/mark.svg';
import moon from './drawings/moon.svg';
import name from './drawings/name.svg';

export { resvg };
export const font = new Uint8Array(fontFile);
export const drawings = { earth, mark, moon, name };
