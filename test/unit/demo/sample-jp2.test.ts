import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AIA_STYLE, encodeGrey, type GreyImage, OLD_STYLE, PLAIN_STYLE, ROB_STYLE, wrapJp2 } from '../../../demo/jp2/encode.ts';
import { readBoxes } from '../../../src/jp2/boxes.ts';
import { indexJp2 } from '../../../src/jp2/sidecar.ts';
import { openjpegDecode } from '../../support/jp2/openjpeg.ts';
import { isInstalled, outputOf } from '../../support/programs.ts';
import { inFolder } from '../../support/system/in-folder.ts';

/** A smooth hill with ripples and some grain. */
function picture(width: number, height: number): GreyImage {
  const samples = Uint8Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return 90 + 60 * Math.sin(x / 9) * Math.cos(y / 13) + ((x * 7919 + y * 104_729) % 13) + (x > width / 2 ? 40 : 0);
  });
  return { width, height, samples };
}

const decodeByOpenJpeg = (codestream: Uint8Array) => openjpegDecode(codestream, 0).samples;

function rootMeanSquare(a: Uint8Array, b: Uint8Array): number {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - (b[i] ?? 0)) ** 2, 0) / a.length);
}

/** Marker segments of the only tile-part header, and the length of what follows SOD up to EOC. */
function tilePart(codestream: Uint8Array) {
  const view = new DataView(codestream.buffer, codestream.byteOffset, codestream.byteLength);
  let at = 2;
  while (view.getUint16(at) !== 0xff90) at += 2 + view.getUint16(at + 2);
  const end = at + view.getUint32(at + 6);
  const lengths: number[] = [];
  for (at += 12; view.getUint16(at) !== 0xff93; at += 2 + view.getUint16(at + 2)) {
    expect(view.getUint16(at)).toBe(0xff58);
    let value = 0;
    for (const byte of codestream.subarray(at + 5, at + 2 + view.getUint16(at + 2))) {
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) {
        lengths.push(value);
        value = 0;
      }
    }
  }
  return { lengths, bodyLength: end - at - 2, isWhole: view.getUint16(end) === 0xffd9 && end + 2 === codestream.length };
}

it('sample JP2 files hold the same picture with and without precincts', async () => {
  for (const [width, height] of [
    [512, 512],
    [300, 205],
    [129, 640],
  ] as const) {
    const image = picture(width, height);
    const withPrecincts = decodeByOpenJpeg(encodeGrey(image, AIA_STYLE));
    expect(withPrecincts).toEqual(decodeByOpenJpeg(encodeGrey(image, PLAIN_STYLE)));
    expect(rootMeanSquare(withPrecincts, image.samples)).toBeLessThan(4);
  }
});

it('sample JP2 files list the length of every packet: layers times precincts', async () => {
  const precincts = [1, 1, 1, 1, 1, 1, 1, 4, 16].reduce((sum, count) => sum + count, 0);
  for (const [style, packets] of [
    [AIA_STYLE, 8 * precincts],
    [PLAIN_STYLE, 8 * 9],
    [ROB_STYLE, 4 * (1 + 1 + 1 + 1 + 4 + 16)],
  ] as const) {
    const { lengths, bodyLength, isWhole } = tilePart(encodeGrey(picture(512, 512), style));
    expect(lengths).toHaveLength(packets);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(bodyLength);
    expect(isWhole).toBe(true);
  }
  expect(tilePart(encodeGrey(picture(512, 512), OLD_STYLE)).lengths).toEqual([]);
});

it('sample JP2 files improve with every layer and stay below a byte for eight samples', async () => {
  const image = picture(512, 512);
  const codestream = encodeGrey(image, { ...PLAIN_STYLE, layerRatios: [80, 20, 10] });
  expect(codestream.length).toBeLessThan((512 * 512) / 9.5);
  const coarse = decodeByOpenJpeg(encodeGrey(image, { ...PLAIN_STYLE, layerRatios: [80] }));
  expect(rootMeanSquare(decodeByOpenJpeg(codestream), image.samples)).toBeLessThan(0.6 * rootMeanSquare(coarse, image.samples));
});

it('sample JP2 files carry a palette that the service reads back', async () => {
  const palette = Array.from({ length: 256 }, (_, i) => [i, 255 - i, i >> 1] as const);
  const codestream = encodeGrey(picture(128, 128), ROB_STYLE);
  const boxes = readBoxes(wrapJp2({ width: 128, height: 128, codestream, xml: '<meta/>', palette }));
  expect(boxes.palette && [...boxes.palette.slice(300, 303)]).toEqual([100, 155, 50]);
});

it('sample JP2 files pass the indexing of the service, with packet lengths and without', async () => {
  const image = picture(300, 205);
  for (const style of [AIA_STYLE, OLD_STYLE]) {
    const file = wrapJp2({ width: 300, height: 205, codestream: encodeGrey(image, style), xml: '<meta><fits></fits></meta>' });
    expect(() => indexJp2(file)).not.toThrow();
  }
});

const hasDecoder = isInstalled('opj_decompress');
it.skipIf(!hasDecoder)('sample JP2 files decode by opj_decompress to the pixels of OpenJPEG from npm', async () => {
  return inFolder(async (folder) => {
    const image = picture(300, 205);
    const codestream = encodeGrey(image, AIA_STYLE);
    const [from, to] = [join(folder, 'a.jp2'), join(folder, 'a.pgm')];
    writeFileSync(from, wrapJp2({ width: 300, height: 205, codestream, xml: '<meta/>' }));
    outputOf('opj_decompress', ['-i', from, '-o', to]);
    const pgm = readFileSync(to);
    const decoded = new Uint8Array(pgm.subarray(pgm.length - 300 * 205));
    expect(rootMeanSquare(decoded, decodeByOpenJpeg(codestream))).toBeLessThan(0.05);
  });
});
