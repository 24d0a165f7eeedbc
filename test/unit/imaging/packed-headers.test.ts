// Packed packet headers: PPM in the main header, PPT in the tile-part header (A.7.4, A.7.5).
import { describe, expect, it } from 'vitest';
import { indexJp2 } from '../../../src/jp2/sidecar.ts';
import { decodeFrom } from '../../support/imaging/decode.ts';
import { makeRaster } from '../../support/imaging/rasters.ts';
import { differenceFromCrop } from '../../support/imaging/windows.ts';
import { packHeaders } from '../../support/jp2/codestreams.ts';
import { hasOpj, opjCompress } from '../../support/jp2/opj.ts';

describe.skipIf(!hasOpj)('streams of opj_compress (libopenjp2-tools), their packet headers moved', () => {
  const raster = makeRaster({ width: 120, height: 85, components: 3 });
  const options = ['-n', '4', '-r', '20,5,1', '-c', '[64,64],[32,32]', '-p', 'PCRL', '-SOP', '-EPH'];

  it.for([
    ['PPM', 40_000],
    ['PPM', 37],
    ['PPT', 40_000],
    ['PPT', 37],
  ] as const)('%s segments of at most %i bytes decode to the source pixels and crop alike', ([where, most]) => {
    const stream = packHeaders(opjCompress(raster, options), where, most);
    const index = indexJp2(stream);
    const full = decodeFrom(stream, index, 0);
    expect(full.map(({ samples }) => Array.from(samples))).toEqual(raster.components.map((plane) => Array.from(plane)));
    const window = { x0: 17, y0: 9, x1: 71, y1: 64 };
    expect(differenceFromCrop(decodeFrom(stream, index, 0, window), full)).toBe('');
  });
});
