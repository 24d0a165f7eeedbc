// Builds the font of the overlays, the subset of DejaVu Sans that solar labels need: build/overlay-font.ttf.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import subsetFont from 'subset-font';
import { projectRoot } from '../command.ts';

/** First and last code point of each range. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x20, 0x7e], // ASCII
  [0xa0, 0x17f], // Latin-1 and Latin Extended-A: ° ± µ ² ³ × Å, names of people and sites
  [0x391, 0x3a9], // Greek
  [0x3b1, 0x3c9],
];
const SINGLES = '–—‘’“”•…′″⁰⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉←↑→↓↖↗↘↙∆−∞≈≠≤≥⊙☉☼☽⊕�';

/** Tables that change the width of a text from the sum of its advance widths, by which overlays are laid out; FFTM is a timestamp. */
const DROPPED_TABLES = ['GPOS', 'GSUB', 'GDEF', 'kern', 'FFTM'];

const characters = RANGES.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
const text = String.fromCodePoint(...characters) + SINGLES;
const source = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
const subset = await subsetFont(await readFile(source), text, {
  targetFormat: 'truetype',
  noHinting: true,
  dropTables: DROPPED_TABLES,
});
const file = join(projectRoot, 'build', 'overlay-font.ttf');
await mkdir(join(projectRoot, 'build'), { recursive: true });
await writeFile(`${file}.${process.pid}`, subset);
await rename(`${file}.${process.pid}`, file);
console.log(`build/overlay-font.ttf ${subset.length} bytes`);
