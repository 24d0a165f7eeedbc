// Random options of opj_compress, reproducible by seed. Excludes two combinations that OpenJPEG 2.5.0 handles wrongly:
// tile-parts that do not match the progression order, and bypassed passes together with a region of interest.
import { makeRaster, type Raster, randomNumbers } from '../imaging/rasters.ts';

export type OpjCase = ReturnType<typeof opjCase>;

/** The feature that a case is certain to use; the others are random. */
export type Feature = 'tiles' | 'modes' | 'precincts' | 'tile-parts' | 'region' | 'subsampling' | 'layers' | 'depth' | 'plain';

const ORDERS = ['LRCP', 'RLCP', 'RPCL', 'PCRL', 'CPRL'] as const;
const BLOCKS = ['4,4', '16,64', '64,16', '32,32', '1024,4', '4,1024', '8,256'] as const;
const PRECINCTS = ['[128,128]', '[64,64],[32,32]', '[32,16],[16,32],[64,64]', '[256,256],[128,128],[64,64]'] as const;
const RATIOS = [40, 20, 10, 5, 1];
const SUBSAMPLING: Record<number, string> = { 2: '1x1:2x2', 4: '1x1:2x1:1x2:2x2' };

/** Keeps every dx-th sample of every dy-th row of each component. */
function subsample(raster: Raster, subsampling: string): Raster {
  const { width, height } = raster;
  const components = subsampling.split(':').map((pair, c) => {
    const [dx, dy] = pair.split('x').map(Number) as [number, number];
    const columns = Math.ceil(width / dx);
    const plane = raster.components[c] as Int32Array;
    return Int32Array.from({ length: columns * Math.ceil(height / dy) }, (_, i) => {
      return plane[Math.floor(i / columns) * dy * width + (i % columns) * dx] as number;
    });
  });
  return { ...raster, components };
}

/** `subsampling`: such as `1x1:2x2`, or empty. */
export function opjCase(feature: Feature, seed: number) {
  const random = randomNumbers(seed);
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const pick = <T>(list: readonly T[]): T => list[int(0, list.length - 1)] as T;
  const has = (wanted: Feature, chance: number): boolean => feature === wanted || random() < chance;

  const side = (): number => pick([int(1, 20), int(20, 140), int(60, 200)]);
  const [width, height] = [side(), side()];
  const subsampled = has('subsampling', 0.1);
  const components = subsampled ? pick([2, 4]) : pick([1, 1, 1, 2, 3, 4]);
  const precision = has('depth', 0.3) ? pick([9, 12, 16]) : 8;
  const signed = random() < 0.25;
  const lossless = random() < 0.5;
  const order = pick(ORDERS);
  const layers = has('layers', 0.3) ? pick([2, 3, 5]) : 1;
  const mode = has('modes', 0.3) ? int(1, 63) : 0;
  const options = ['-n', String(1 + int(0, Math.min(6, Math.floor(Math.log2(Math.min(width, height)))))), '-p', order];
  if (!lossless) options.push('-I');
  if (layers > 1) options.push('-r', RATIOS.slice(5 - layers).join(','));
  if (has('precincts', 0.4)) options.push('-c', pick(PRECINCTS));
  if (random() < 0.4) options.push('-b', pick(BLOCKS));
  if (has('tiles', 0.3)) {
    const [offsetX, offsetY] = [int(0, 70), int(0, 70)];
    options.push('-t', `${int(30, 120)},${int(30, 120)}`, '-d', `${offsetX},${offsetY}`);
    options.push('-T', `${Math.min(offsetX, int(0, 20))},${Math.min(offsetY, int(0, 20))}`);
  } else if (feature === 'tile-parts' && order[0] !== 'P') options.push('-TP', order[0] as string);
  for (const flag of ['-SOP', '-EPH', '-PLT', '-TLM']) if (random() < 0.25) options.push(flag);
  if (mode) options.push('-M', String(mode));
  if (components >= 3) options.push('-mct', subsampled ? '0' : pick(['0', '1']));
  if ((mode & 1) === 0 && has('region', 0)) options.push('-ROI', `c=0,U=${int(1, 10)}`);

  const whole = makeRaster({ width, height, components, precision, signed, seed });
  const subsampling = subsampled ? (SUBSAMPLING[components] as string) : '';
  const raster = subsampled ? subsample(whole, subsampling) : whole;
  const title = `${width}x${height} ${precision}${signed ? 's' : 'u'} x${components} ${subsampling} ${options.join(' ')}`;
  return { title, raster, options, subsampling, lossless };
}
