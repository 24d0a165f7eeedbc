// Files that ingest refuses: kind and sentence of the error, and the time until it.
import { describe, expect, it } from 'vitest';
import { encodeSamples } from '../../../demo/jp2/openjpeg.ts';
import { inspectJp2, inspectJp2Headers } from '../../../src/archive/ingest/inspect-jp2.ts';
import { Jp2Error } from '../../../src/jp2/errors.ts';
import { decodeSidecar, encodeSidecar, indexJp2 } from '../../../src/jp2/sidecar.ts';
import { decodeFrom } from '../../support/imaging/decode.ts';
import { makeRaster } from '../../support/imaging/rasters.ts';
import { findMarker, handMade, overwrite, segment } from '../../support/jp2/codestreams.ts';
import { jp2File } from '../../support/jp2/jp2-file.ts';
import { archiveFiles, readArchiveFile } from '../../support/real-files.ts';

const [SOT, SIZ, COD] = [0xff90, 0xff51, 0xff52];

function refusal(job: () => unknown): string {
  const from = process.cpuUsage();
  try {
    job();
  } catch (error) {
    if (!(error instanceof Jp2Error)) throw error;
    expect(process.cpuUsage(from).user).toBeLessThan(AT_ONCE_US);
    return `${error.kind}: ${error.message}`;
  }
  return 'accepted';
}

const sound = encodeSamples(makeRaster({ width: 200, height: 150 }), {
  lossless: false,
  levels: 4,
  order: 2,
  layerRatios: [60, 20, 5],
});
const before = process.cpuUsage();
for (let i = 0; i < 100; i += 1) decodeFrom(sound, indexJp2(sound), 0);
/** Maximum processor time of a refusal, microseconds: that of 2,000 small images, because cores differ. */
const AT_ONCE_US = 20 * process.cpuUsage(before).user;

it('an image of one empty packet decodes to grey', () => {
  const stream = handMade({ width: 3, height: 2, packets: [0] });
  expect(Array.from(decodeFrom(stream, indexJp2(stream), 0)[0]?.samples ?? [])).toEqual([128, 128, 128, 128, 128, 128]);
});

const files: [string, Uint8Array][] = [
  ['a codestream', sound],
  ['a JP2 file', jp2File(sound)],
  ...archiveFiles.slice(0, 3).map((name): [string, Uint8Array] => [name, readArchiveFile(name)]),
];
it.for(files)('truncated files: %s is refused as malformed at every 64th of its length', ([, bytes]) => {
  for (let part = 0; part < 64; part++) {
    const cut = bytes.subarray(0, Math.floor((bytes.length * part) / 64));
    expect(refusal(() => indexJp2(cut))).toMatch(/^malformed: [A-Z].*\.$/);
  }
});

it('truncated files: a codestream without EOC can be indexed', () => {
  expect(indexJp2(sound.subarray(0, sound.length - 2)).tiles).toEqual(indexJp2(sound).tiles);
});

describe('unsupported or impossible headers are refused', () => {
  const plain = { width: 64, height: 64 };
  it.for<[string, Uint8Array, string]>([
    ['high-throughput code-blocks by Rsiz', handMade({ ...plain, capabilities: 0x4000 }), 'unsupported: .*HT'],
    [
      'high-throughput code-blocks by CAP',
      handMade({ ...plain, more: segment(0xff50, [0, 2, 0, 0, 0, 0]) }),
      'unsupported: .*HT',
    ],
    ['high-throughput code-blocks by style', handMade({ ...plain, blockStyle: 0x40 }), 'unsupported: .*HT'],
    ['samples of 17 bits', handMade({ ...plain, precision: 17 }), 'unsupported: Samples of 17 bits .*1 to 16'],
    ['samples of 38 bits', handMade({ ...plain, precision: 38 }), 'unsupported: Samples of 38 bits'],
    [
      'a region of interest by another method',
      handMade({ ...plain, more: segment(0xff5e, [0, 1, 3]) }),
      'unsupported: .*maxshift',
    ],
    ['a transform of three components that it has not', handMade({ ...plain, mct: 2 }), 'unsupported: .*component transform'],
    ['an image without width', handMade({ width: 0, height: 9 }), 'malformed: .*empty image'],
    [
      'components between whose samples the image lies',
      handMade({ width: 1, height: 1, origin: 1, sampling: 255 }),
      'malformed: Component 0',
    ],
    ['samples at a distance of 0', handMade({ ...plain, sampling: 0 }), 'malformed: .*distance'],
    ['no components', handMade({ ...plain, components: 0 }), 'malformed: .*component'],
    ['5000 components', handMade({ ...plain, components: 5000 }), 'too-large: .*5000 components, more than 1024'],
    ['a width of 100 000', handMade({ width: 100_000, height: 1 }), 'too-large: .*100000 x 1 samples, more than 16384 x 16384'],
    ['an image at the far end of the grid', handMade({ ...plain, origin: 0x7fffff00 }), 'too-large: .*coordinate'],
    ['tiles without width', overwrite(handMade(plain), 2 + 4 + 2 + 16, 0, 0, 0, 0), 'malformed: .*first tile'],
    ['4096 tiles', handMade({ ...plain, tile: 1 }), 'too-large: .*4096 tiles, more than 1024'],
    ['33 decomposition levels', handMade({ ...plain, levels: 33 }), 'malformed: .*33 decomposition levels, more than 32'],
    ['precincts of one sample above the lowest level', handMade({ ...plain, levels: 1, precinct: 0 }), 'malformed: .*precinct'],
    ['no layers', handMade({ ...plain, layers: 0 }), 'malformed: .*layer'],
    ['progression order 5', handMade({ ...plain, order: 5 }), 'malformed: .*progression order'],
    ['a tile that is not on the grid', overwrite(sound, findMarker(sound, SOT) + 5, 1), 'malformed: .*tile 1 of 1'],
    [
      'a tile-part beyond the file',
      overwrite(sound, findMarker(sound, SOT) + 6, 0, 1, 0, 0),
      'malformed: .*tile-part states 65536 bytes',
    ],
    [
      'a tile-part shorter than its header',
      overwrite(sound, findMarker(sound, SOT) + 6, 0, 0, 0, 3),
      'malformed: .*tile-part states 3 bytes',
    ],
    [
      'no image size',
      Uint8Array.from([...sound.subarray(0, 2), ...sound.subarray(findMarker(sound, COD))]),
      'malformed: .*codestream',
    ],
    [
      'packets that no progression reaches',
      handMade({ ...plain, levels: 1, more: segment(0xff5f, [0, 0, 0, 1, 1, 1, 0]), packets: [0] }),
      'malformed: .*no progression',
    ],
    [
      'tiles that are missing',
      handMade({ width: 64, height: 64, tile: 32, packets: [0] }),
      'malformed: .*of 1 tiles instead of 4',
    ],
    [
      'three components that differ under a component transform',
      overwrite(handMade({ ...plain, components: 3, mct: 1, packets: [0, 0, 0] }), 2 + 4 + 36 + 4, 2),
      'malformed: .*three components .*differ',
    ],
  ])('%s', ([, stream, expected]) => {
    expect(refusal(() => indexJp2(stream))).toMatch(new RegExp(`^${expected}`));
  });

  it('a file with any flipped bit in its headers is refused or decodes', () => {
    const headers = findMarker(sound, SOT) + 14;
    let refused = 0;
    for (let bit = 0; bit < headers * 8; bit++) {
      const flipped = overwrite(sound, bit >> 3, (sound[bit >> 3] as number) ^ (1 << (bit & 7)));
      const outcome = refusal(() => {
        const index = indexJp2(flipped);
        const { x0, y0 } = index.size;
        return decodeFrom(flipped, index, 0, { x0, y0, x1: x0 + 64, y1: y0 + 64 });
      });
      expect(outcome).toMatch(/^(accepted|(malformed|unsupported|too-large): [A-Z].*\.)$/);
      expect(outcome).not.toContain('decoder trap');
      if (outcome !== 'accepted') refused++;
    }
    expect(refused).toBeGreaterThan(headers);
    expect(findMarker(sound, SIZ)).toBe(2);
  });
});

const noPackets = new Array<number>(70_000).fill(0x80);
const everything = [0, 0, 255, 255, 33, 0, 4];
it.for<[string, Uint8Array, string]>([
  [
    '65 535 layers over a million code-blocks',
    handMade({ width: 4096, height: 4096, layers: 65_535, block: 2, packets: noPackets }),
    'too-large: .*code-blocks times layers',
  ],
  [
    'precincts of two samples over 16 384 x 16 384',
    handMade({ width: 16_384, height: 16_384, levels: 2, precinct: 1 }),
    'too-large: .*packets',
  ],
  [
    'more than a thousand progressions over all packets',
    handMade({
      width: 2048,
      height: 2048,
      precinct: 4,
      more: segment(0xff5f, new Array(1000).fill(everything).flat()),
      packets: noPackets,
    }),
    'too-large: .*progression steps',
  ],
  [
    '1024 components of 33 resolution levels',
    handMade({ width: 32, height: 32, components: 1024, levels: 32 }),
    'too-large: .*resolution levels',
  ],
  [
    'more code-blocks than fit the memory of the decoder',
    handMade({ width: 16_384, height: 16_384, block: 2, packets: [0x80] }),
    'too-large: .*memory',
  ],
  [
    'an unbounded number of zero bit-planes',
    handMade({ width: 4096, height: 4096, block: 2, packets: [0xff, 0x78, ...new Array(70_000).fill(0)] }),
    'malformed: .*zero bit-planes',
  ],
  [
    '164 coding passes in a code-block of 11 bit-planes',
    handMade({ width: 4, height: 4, packets: [0b11111111, 0b01111111, 0b11000000, 0, 0] }),
    'malformed: .*coding passes',
  ],
])('a stream that would cause unbounded work is refused at once: %s', ([, stream, expected]) => {
  expect(refusal(() => indexJp2(stream))).toMatch(new RegExp(`^${expected}`));
});

const index = indexJp2(sound);
const window = { x0: 0, y0: 0, x1: 200, y1: 150 };

it('files damaged after ingest: overwritten packet headers never address bytes outside the ranges that were read', () => {
  const start = findMarker(sound, 0xff93) + 2;
  for (let at = start; at < start + 600; at++) {
    // Values in turn: test/fuzz/decode.ts damages more files.
    const value = [0xff, 0x00, 0xc0][at % 3]!;
    const outcome = refusal(() => decodeFrom(overwrite(sound, at, value), index, 0, window));
    expect(outcome).toMatch(/^(accepted|malformed: [A-Z].*\.)$/);
    expect(outcome).not.toContain('decoder trap');
  }
});

it('files damaged after ingest: a sidecar that points outside its codestream or belongs to another image is refused', () => {
  const sidecar = encodeSidecar(index);
  expect(refusal(() => decodeSidecar(encodeSidecar({ ...index, codestreamLength: 1000 })))).toContain('outside the codestream');
  expect(refusal(() => decodeSidecar(encodeSidecar({ ...index, fileLength: 10 })))).toContain('outside the file');
  expect(refusal(() => decodeSidecar(encodeSidecar({ ...index, palette: new Uint8Array(9) })))).toContain(
    '9 bytes instead of 768',
  );
  expect(refusal(() => decodeSidecar(encodeSidecar({ ...index, tiles: [...index.tiles, ...index.tiles] })))).toContain(
    '2 tiles instead of 1',
  );
  for (let length = 0; length < sidecar.length; length++)
    expect(refusal(() => decodeSidecar(sidecar.subarray(0, length)))).toMatch(/^malformed: /);
});

describe('a decodable file that has lost data', () => {
  const PSOT = findMarker(sound, SOT) + 6;
  const unknownLength = overwrite(sound, PSOT, 0, 0, 0, 0);
  const junk = Uint8Array.of(0x12, 0x34, 0xff, 0xd9, 0, 0, 0, 0, 0);
  const NO_END = 'The codestream does not end with EOC, but has all of its packets.';
  const shortBox = (by: number) => {
    const file = Buffer.from(jp2File(sound));
    const at = file.indexOf('jp2c') - 4;
    file.writeUInt32BE(file.readUInt32BE(at) - by, at);
    return file;
  };

  it.each<[string, Uint8Array, string | null]>([
    ['nothing wrong', sound, null],
    ['a missing EOC', sound.subarray(0, -2), NO_END],
    ['half an EOC', sound.subarray(0, -1), NO_END],
    ['another marker in place of EOC', Buffer.concat([sound.subarray(0, -2), junk.subarray(0, 2)]), NO_END],
    ['bytes after EOC', Buffer.concat([sound, junk]), null],
    ['a last tile-part of unknown length', unknownLength, null],
    ['one without EOC', unknownLength.subarray(0, -2), NO_END],
    ['one with bytes after EOC', Buffer.concat([unknownLength, junk]), null],
    ['a tile-part that contains EOC', overwrite(sound, PSOT + 3, sound[PSOT + 3]! + 2), null],
    ['a box of the codestream that is too short', shortBox(100), null],
    ['a JP2 file without EOC', jp2File(sound.subarray(0, -2)), NO_END],
  ])('a file with %s is read whole, with a warning where EOC is missing', async (_, file, warning) => {
    const index = indexJp2(file, true);
    expect(index.tiles).toEqual(indexJp2(sound).tiles);
    const stream = file.subarray(index.codestreamOffset, index.codestreamOffset + index.codestreamLength);
    expect(Buffer.from(stream.subarray(PSOT + 4)).equals(sound.subarray(PSOT + 4, warning ? -2 : undefined))).toBe(true);
    for (const inspect of [inspectJp2, inspectJp2Headers]) expect((await inspect(file)).warning).toBe(warning);
  });

  it.each([3, 40, 4000])('a file whose last %i bytes are missing fails the strict check of the ingest', async (count) => {
    for (const stream of [sound, unknownLength]) {
      const cut = stream.subarray(0, -count);
      expect(refusal(() => indexJp2(cut, true))).toMatch(/^malformed: /);
      for (const inspect of [inspectJp2, inspectJp2Headers]) await expect(inspect(cut)).rejects.toThrow(Jp2Error);
    }
  });

  it('a file with packets overwritten by zeros fails the strict check of the ingest', () => {
    const { mainHeader } = indexJp2(sound);
    const start = mainHeader.length + 14;
    const holed = sound.slice();
    holed.fill(0, start, start + Math.floor((sound.length - start) / 2));
    expect(refusal(() => indexJp2(holed, true))).toMatch(/^malformed: A tile-part has \d+ bytes after its last packet/);
  });
});
