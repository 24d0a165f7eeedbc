// Makes wasm/core/quads/frequencies.ts from images: `node wasm/train-quads.ts FOLDER`, with JP2 files of the archive in FOLDER, to
// which an image of every source of the sample is added. Different frequencies are another version of the format of coefficient
// sidecars (COEFFICIENTS_VERSION), which cannot read the objects of this one.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import type { CoreExports } from '../src/jp2/core/core.ts';

const root = join(import.meta.dirname, '..');
const CONTEXTS = 9;
const RARE = 256;
const SYMBOLS = 257;
const STATES = 1024;

/** Patterns of a smaller share of a context, in states, have no symbol of their own. */
const LEAST_SHARE = 0.7;
/** Share of the sample images, whose Sun is drawn, beside the files of the archive. */
const SAMPLE_SHARE = 0.25;
const SAMPLE_MS = Date.UTC(2022, 0, 1, 12);
const SAMPLE_SIDE = 1024;

/** A core in which every pattern has a symbol, and which shows the steps of the last block. */
async function trainingCore(): Promise<WebAssembly.Module> {
  const uniform = Array.from({ length: CONTEXTS }, () => [...Array(RARE).fill('0, 4'), '0, 0']).flat();
  const replaced: Readonly<Record<string, (text: string) => string>> = {
    'quads/frequencies.ts': () => `export const FREQUENCIES: usize = memory.data<u8>([${uniform.join(', ')}]);\n`,
    'core/index.ts': (text) => `${text}\nexport { STEPS } from './quads/encode';\n`,
  };
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    ['wasm/core/index.ts', '--outFile=x.wasm', '--baseDir', root, '-O2', '--runtime=stub', '--enable=simd', '--use=abort='],
    {
      readFile: (name, baseDir) => {
        try {
          const text = readFileSync(join(baseDir, name), 'utf8');
          const edit = Object.entries(replaced).find(([end]) => name.endsWith(end));
          return edit ? edit[1](text) : text;
        } catch {
          return null;
        }
      },
      writeFile: (name, contents) => {
        if (name.endsWith('.wasm')) binary = contents as Uint8Array;
      },
      listFiles: () => null,
    },
  );
  if (error || !binary) throw new Error(`The core does not compile: ${String(stderr)}`);
  const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;
  return new Module(binary);
}

(globalThis as { trainingCore?: unknown }).trainingCore = await trainingCore();
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '#core-module'
      ? { url: 'data:text/javascript,export default globalThis.trainingCore', shortCircuit: true }
      : next(specifier, context),
});
const { withCore } = await import('../src/jp2/core/core.ts');
const { indexJp2 } = await import('../src/jp2/sidecar.ts');
const { openPrecincts } = await import('../src/jp2/codestream-blocks.ts');
const { isEmpty } = await import('../src/jp2/structure.ts');

/** Counts of the patterns of every context in an image. */
function countPatterns(file: Uint8Array): Float64Array[] {
  const counts = Array.from({ length: CONTEXTS }, () => new Float64Array(RARE));
  const index = indexJp2(file);
  const tile = index.tiles[0]!;
  const tc = tile.components[0]!;
  const bytes = file.subarray(index.codestreamOffset, index.codestreamOffset + index.codestreamLength);
  for (const r of tc.resolutions) {
    withCore((core) => {
      const at = (core as CoreExports & { STEPS: WebAssembly.Global }).STEPS.value as number;
      const numbers = Array.from({ length: r.precinctsAcross * r.precinctsDown }, (_, k) => k);
      for (const { address, bands } of openPrecincts(core, [{ offset: 0, bytes }])(tile, 0, r.level, numbers)) {
        bands.forEach((band, b) => {
          if (isEmpty(band)) return;
          const [lw, lh] = [r.log2CodeblockWidth, r.log2CodeblockHeight];
          const columns = ((band.x1 - 1) >> lw) - (band.x0 >> lw) + 1;
          const rows = ((band.y1 - 1) >> lh) - (band.y0 >> lh) + 1;
          for (let i = 0; i < columns * rows; i++) {
            const [x, y] = [(band.x0 >> lw) + (i % columns), (band.y0 >> lh) + Math.floor(i / columns)];
            const w = Math.min(band.x1, (x + 1) << lw) - Math.max(band.x0, x << lw);
            const h = Math.min(band.y1, (y + 1) << lh) - Math.max(band.y0, y << lh);
            if (core.transcodeBlock(address, b, i, tc.coding.blockStyle) <= 0) continue;
            const steps = new Uint16Array(core.memory.buffer, at, (((w + 3) & ~3) * ((h + 3) & ~3)) / 4);
            for (const step of steps) counts[Math.floor(step / SYMBOLS)]![step % SYMBOLS]! += 1;
          }
        });
      }
    });
  }
  return counts;
}

const blank = () => Array.from({ length: CONTEXTS }, () => new Float64Array(RARE));
const totalOf = (counts: Float64Array) => counts.reduce((a, b) => a + b, 0);

/** Adds the counts of an image by the square root of their number, so that no instrument governs the tables. */
function add(sum: Float64Array[], counts: Float64Array[]): void {
  counts.forEach((context, c) => {
    const weight = 1 / Math.sqrt(totalOf(context) + 1);
    context.forEach((count, symbol) => {
      sum[c]![symbol]! += count * weight;
    });
  });
}

/** Frequencies that add up to STATES. */
function frequenciesOf(counts: Float64Array): Uint16Array {
  const total = totalOf(counts) || 1;
  const f = new Uint16Array(SYMBOLS);
  let rare = 0;
  counts.forEach((count, symbol) => {
    const share = (count / total) * STATES;
    if (share >= LEAST_SHARE) f[symbol] = Math.max(1, Math.round(share));
    else rare += share;
  });
  f[RARE] = Math.max(1, Math.round(rare));
  for (let sum = f.reduce((a, b) => a + b, 0); sum !== STATES; sum += sum < STATES ? 1 : -1) {
    f[f.indexOf(Math.max(...f))]! += sum < STATES ? 1 : -1;
  }
  return f;
}

/** LEB128 of the number of symbols without a frequency before each that has one, and of its frequency. */
function notation(frequencies: readonly Uint16Array[]): number[] {
  const bytes: number[] = [];
  const varint = (value: number): void => {
    let rest = value;
    for (; rest > 127; rest >>= 7) bytes.push((rest & 127) | 128);
    bytes.push(rest);
  };
  for (const f of frequencies) {
    let gap = 0;
    f.forEach((frequency) => {
      if (frequency === 0) gap++;
      else {
        varint(gap);
        varint(frequency);
        gap = 0;
      }
    });
  }
  return bytes;
}

const folder = process.argv[2];
if (!folder) throw new Error('Name a folder of JP2 files.');
const [real, sample] = [blank(), blank()];
for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.jp2')))
  add(real, countPatterns(readFileSync(join(folder, name))));
const { imageFile } = await import('../demo/image-file.ts');
const { findInstrument } = await import('../demo/instruments/instruments.ts');
const { allSources } = await import('../src/sun/catalogue/sources.ts');
for (const { id: sourceId } of allSources) {
  if (findInstrument(sourceId)) add(sample, countPatterns(await imageFile({ sourceId, timeMs: SAMPLE_MS, size: SAMPLE_SIDE })));
}
const frequencies = real.map((counts, c) => {
  const [a, b] = [totalOf(counts) || 1, totalOf(sample[c]!) || 1];
  return frequenciesOf(counts.map((count, s) => (1 - SAMPLE_SHARE) * (count / a) + SAMPLE_SHARE * (sample[c]![s]! / b)));
});
const lines = notation(frequencies)
  .join(', ')
  .match(/.{1,126}(?:,|$)/g)!
  .map((line) => `  ${line.trim()}`);
writeFileSync(
  join(root, 'wasm/core/quads/frequencies.ts'),
  `// Frequencies of the symbols of the quad code, part of version 1 of the format of coefficient sidecars. Made by wasm/train-quads.ts;
// \`readFrequencies\` in tables.ts states their notation.
export const FREQUENCIES: usize = memory.data<u8>([
${lines.join('\n')},
]);
`.replace(',,', ','),
);
console.log(`symbols of the contexts: ${frequencies.map((f) => f.filter((n) => n > 0).length).join(' ')}`);
