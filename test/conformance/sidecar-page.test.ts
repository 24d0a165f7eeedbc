// docs/sidecar-format.md is complete: a reader written from the page alone has the samples of the codestream.
import { describe, expect, it } from 'vitest';
import { encodeSamples } from '../../demo/jp2/openjpeg.ts';
import { indexJp2 } from '../../src/jp2/sidecar.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { makeRaster, randomNumbers } from '../support/imaging/rasters.ts';
import { transcoded } from '../support/jp2/coefficients.ts';
import { lowestLevel } from '../support/jp2/sidecar-page-reader.ts';

/** Mostly zeros with a few small and large samples, which the code has in patterns, rare ones among them. */
function sparse(width: number, height: number) {
  const random = randomNumbers(7);
  const value = () => (random() < 0.85 ? 0 : Math.round((random() - 0.5) * (random() < 0.1 ? 200 : 6)));
  return { width, height, precision: 8, signed: true, components: [Int32Array.from({ length: width * height }, value)] };
}

const CASES = [
  ['5/3, three levels', makeRaster({ width: 700, height: 523 }), { lossless: true, levels: 3 }],
  ['5/3, 12 bits', makeRaster({ width: 300, height: 201, precision: 12 }), { lossless: true, levels: 1 }],
  ['5/3, cut within a bit-plane', makeRaster({ width: 400, height: 300 }), { lossless: true, levels: 2, layerRatios: [40] }],
  ['5/3, sparse', sparse(131, 70), { lossless: true, levels: 0 }],
  ['9/7', makeRaster({ width: 513, height: 300 }), { lossless: false, levels: 2 }],
  ['9/7, strongly compressed', makeRaster({ width: 600, height: 411 }), { lossless: false, levels: 1, layerRatios: [90] }],
  ['9/7, sparse', sparse(131, 70), { lossless: false, levels: 0, layerRatios: [9] }],
] as const;

describe('a reader of part A written from the page of its format', () => {
  it.for(CASES)('gives the samples of the lowest resolution level: %s', ([, raster, options]) => {
    const stream = encodeSamples(raster, options);
    const index = indexJp2(stream);
    const read = lowestLevel(stream, transcoded(stream, index)!.A);
    const [expected] = decodeFrom(stream, index, options.levels);
    expect([read.width, read.height]).toEqual([expected!.width, expected!.height]);
    expect(read.samples).toEqual(Array.from(expected!.samples));
  });
});
