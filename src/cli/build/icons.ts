// Icons of the pages as PNG and ICO, drawn from the SVG, because phones and older programs read no SVG.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

const ICO_PX = 32;
/** Header and one directory entry of an ICO file. */
const ICO_HEADER_BYTES = 22;
const BACKGROUND = '#0b0d12';

let isReady: Promise<void> | undefined;

async function iconPng(svg: string, side: number): Promise<Uint8Array> {
  isReady ??= readFile(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')).then(initWasm);
  await isReady;
  return new Resvg(svg, { fitTo: { mode: 'width', value: side }, background: BACKGROUND }).render().asPng();
}

/** Viewbox of the drawing, and the same with a margin around it. */
const DRAWN = 'viewBox="0 0 32 32"';
const WITH_MARGIN = 'viewBox="-6 -6 44 44"';

/** An icon for home screens, which cut its corners to a circle of at least 80 % of its side. */
export function homeIcon(svg: string, side: number): Promise<Uint8Array> {
  return iconPng(svg.replace(DRAWN, WITH_MARGIN), side);
}

/** An ICO file that contains one PNG. */
export async function iconFile(svg: string): Promise<Uint8Array> {
  const png = await iconPng(svg, ICO_PX);
  const file = new Uint8Array(ICO_HEADER_BYTES + png.byteLength);
  const view = new DataView(file.buffer);
  view.setUint16(2, 1, true);
  view.setUint16(4, 1, true);
  view.setUint8(6, ICO_PX);
  view.setUint8(7, ICO_PX);
  view.setUint16(10, 1, true);
  view.setUint16(12, 32, true);
  view.setUint32(14, png.byteLength, true);
  view.setUint32(18, ICO_HEADER_BYTES, true);
  file.set(png, ICO_HEADER_BYTES);
  return file;
}
