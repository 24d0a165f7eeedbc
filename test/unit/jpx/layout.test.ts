import { expect, it } from 'vitest';
import { boxHeader } from '../../../src/jp2/boxes.ts';
import { SourceSequence } from '../../../src/jp2/byte-source.ts';
import { type JpxFrame, jpxLayout, MAX_LINKS } from '../../../src/jp2/jpx/layout.ts';
import { box } from '../../support/jp2/jp2-file.ts';
import { frameOf, layoutBytes, sourceBytes } from '../../support/jpx/jpx-bytes.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const holds = (bytes: Buffer, part: Uint8Array) => bytes.includes(Buffer.from(part));
const ascii = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

const SIGNATURE = hex('0000000c 6a502020 0d0a870a');
const JP2_TYPE = box('ftyp', ascii('jp2 \0\0\0\0jp2 '));
/** Height, width, components, BPC, C, UnkC, IPR. */
const ihdr = (side: number, components: number) =>
  box('ihdr', hex(`${side.toString(16).padStart(8, '0').repeat(2)} 000${components} 07 07 01 00`));
const colr = (approximation: number, space: number) => box('colr', Uint8Array.of(1, 0, approximation, 0, 0, 0, space));
const [GREY, SRGB] = [17, 16];
const GREY_HEADER = box('jp2h', ihdr(64, 1), colr(0, GREY));
const RED_PALETTE = box('pclr', Uint8Array.of(0, 2, 3, 7, 7, 7, 0, 0, 0, 255, 0, 0));
const PALETTE_MAP = box('cmap', hex('0000 01 00  0000 01 01  0000 01 02'));
const PALETTE_HEADER = box('jp2h', ihdr(64, 1), colr(0, SRGB), RED_PALETTE, PALETTE_MAP);
const RGB_HEADER = box('jp2h', ihdr(32, 3), colr(0, SRGB));

/** SOC, SIZ with this Rsiz, and bytes that distinguish the streams. */
const codestream = (rsiz: number, name: string) => Buffer.concat([hex(`ff4fff51 0029 000${rsiz}`), ascii(name), hex('ffd9')]);
const [STREAM_0, STREAM_1] = [codestream(0, 'first'), codestream(2, 'the second')];
const [XML_0, XML_1] = [ascii('<meta>first</meta>\0'), ascii('<meta>second</meta>')];

function jp2(header: Uint8Array, stream: Uint8Array, xml: Uint8Array | null): Uint8Array {
  return Buffer.concat([SIGNATURE, JP2_TYPE, header, ...(xml ? [box('xml ', xml)] : []), box('jp2c', stream)]);
}

function made(headers: readonly [Uint8Array, Uint8Array], form: { linked: boolean; style: 'standard' | '2016' }): Buffer {
  const files = new Map([
    ['AIA/a.jp2', jp2(headers[0], STREAM_0, XML_0)],
    ['AIA/b.jp2', jp2(headers[1], STREAM_1, XML_1)],
  ]);
  const frames = [...files].map(([key, file]) => frameOf(key, file));
  const layout = jpxLayout(frames, form);
  const bytes = layoutBytes(layout, files);
  expect(layout.length).toBe(bytes.length);
  return bytes;
}

const association = (i: number, xml: Uint8Array) => box('asoc', box('nlst', hex(`0100000${i} 0200000${i}`)), box('xml ', xml));

/** Offset of the codestream in a JP2 file made above. */
const offsetOf = (header: Uint8Array, xml: Uint8Array) => 12 + 20 + header.length + 8 + xml.length + 8;
const link = (offset: number, length: number, n: number) =>
  box('ftbl', box('flst', hex(`0001 ${offset.toString(16).padStart(16, '0')} ${length.toString(16).padStart(8, '0')} 000${n}`)));

const LINKS = box(
  'dtbl',
  hex('0002'),
  box('url ', hex('00000000'), ascii('file://./AIA/a.jp2\0')),
  box('url ', hex('00000000'), ascii('file://./AIA/b.jp2\0')),
);
const EMPTY_HEADERS = Buffer.concat([box('jpch'), box('jplh')]);

it('a JPX file in the standard form begins with requirements and header, then each codestream directly followed by its metadata', () => {
  const expected = [
    SIGNATURE,
    hex('0000001c 66747970 6a707820 00000001 6a707820 6a703220 6a707862'),
    // Features 1, 2, 4 (Rsiz 2) and 5 (Rsiz 0).
    box('rreq', hex('01 f0 f0 0004 0001 80 0002 40 0004 20 0005 10 0000')),
    box('jp2h', ihdr(64, 1), colr(1, GREY)),
    EMPTY_HEADERS,
    box('jp2c', STREAM_0),
    association(0, XML_0),
    EMPTY_HEADERS,
    box('jp2c', STREAM_1),
    association(1, XML_1),
  ];
  expect(made([GREY_HEADER, GREY_HEADER], { linked: false, style: 'standard' })).toEqual(Buffer.concat(expected));
});

it('a JPX file in the standard form contains links instead of the codestreams, and the list of linked files at its end', () => {
  const expected = [
    SIGNATURE,
    hex('00000014 66747970 6a707820 00000001 6a707820'),
    box('rreq', hex('01 f8 f8 0005 0001 80 0002 40 0004 20 0005 10 000f 08 0000')),
    box('jp2h', ihdr(64, 1), colr(1, GREY)),
    EMPTY_HEADERS,
    link(offsetOf(GREY_HEADER, XML_0), STREAM_0.length, 1),
    association(0, XML_0),
    EMPTY_HEADERS,
    link(offsetOf(GREY_HEADER, XML_1), STREAM_1.length, 2),
    association(1, XML_1),
    LINKS,
  ];
  expect(made([GREY_HEADER, GREY_HEADER], { linked: true, style: 'standard' })).toEqual(Buffer.concat(expected));
});

it('a JPX file in the standard form states only the differences of a frame with another header', () => {
  const bytes = made([PALETTE_HEADER, RGB_HEADER], { linked: false, style: 'standard' });
  expect(holds(bytes, box('jp2h', ihdr(64, 1), colr(1, SRGB), RED_PALETTE, PALETTE_MAP))).toBe(true);
  const direct = box('cmap', hex('0000 00 00  0001 00 00  0002 00 00'));
  const own = Buffer.concat([box('jpch', ihdr(32, 3), direct), box('jplh'), box('jp2c', STREAM_1)]);
  expect(holds(bytes, own)).toBe(true);

  const recoloured = made([GREY_HEADER, PALETTE_HEADER], { linked: false, style: 'standard' });
  const palette = [box('jpch', ihdr(64, 1), RED_PALETTE, PALETTE_MAP), box('jplh', box('cgrp', colr(1, SRGB)))];
  expect(holds(recoloured, Buffer.concat([...palette, box('jp2c', STREAM_1)]))).toBe(true);
});

it('a JPX file in the standard form declares opacity channels, and requires features 1 and 5 alone without any', () => {
  const channels = box('cdef', hex('0002  0000 0000 0001  0001 0001 0000'));
  const bytes = made([GREY_HEADER, box('jp2h', ihdr(64, 2), colr(0, GREY), channels)], { linked: false, style: 'standard' });
  expect(holds(bytes, box('rreq', hex('01 f8 f8 0005 0001 80 0002 40 0004 20 0005 10 0009 08 0000')))).toBe(true);
  expect(holds(bytes, Buffer.concat([box('jpch', ihdr(64, 2)), box('jplh', channels)]))).toBe(true);
  const file = jp2(GREY_HEADER, STREAM_0, null);
  const plain = layoutBytes(jpxLayout([frameOf('a', file)], { linked: false, style: 'standard' }), new Map([['a', file]]));
  expect(holds(plain, box('rreq', hex('01 c0 c0 0002 0001 80 0005 40 0000')))).toBe(true);
  expect(holds(plain, ascii('asoc'))).toBe(false);
});

const type = hex('0000001c 66747970 6a707820 00000000 6a707820 6a703220 6a707862');
const metadata = box('asoc', association(0, XML_0), association(1, XML_1));

it('a JPX file in the form of 2016 contains the first header unchanged, the codestreams, and all metadata in one box', () => {
  const frames = [EMPTY_HEADERS, box('jp2c', STREAM_0), EMPTY_HEADERS, box('jp2c', STREAM_1)];
  const expected = Buffer.concat([SIGNATURE, type, GREY_HEADER, ...frames, metadata]);
  expect(made([GREY_HEADER, GREY_HEADER], { linked: false, style: '2016' })).toEqual(expected);
});

it('a JPX file in the form of 2016 contains links before the metadata, and the list of linked files behind it', () => {
  const first = link(offsetOf(GREY_HEADER, XML_0), STREAM_0.length, 1);
  const second = link(offsetOf(GREY_HEADER, XML_1), STREAM_1.length, 2);
  const frames = [EMPTY_HEADERS, first, EMPTY_HEADERS, second];
  const expected = Buffer.concat([SIGNATURE, type, GREY_HEADER, ...frames, metadata, LINKS]);
  expect(made([GREY_HEADER, GREY_HEADER], { linked: true, style: '2016' })).toEqual(expected);
});

it('a JPX file in the form of 2016 states the whole header of a frame with another header', () => {
  const bytes = made([GREY_HEADER, PALETTE_HEADER], { linked: false, style: '2016' });
  const own = [box('jpch', ihdr(64, 1), RED_PALETTE, PALETTE_MAP), box('jplh', box('cgrp', colr(0, SRGB)))];
  expect(holds(bytes, Buffer.concat([...own, box('jp2c', STREAM_1)]))).toBe(true);
  const plain = made([PALETTE_HEADER, GREY_HEADER], { linked: false, style: '2016' });
  const direct = [box('jpch', ihdr(64, 1), box('cmap', hex('0000 00 00'))), box('jplh', box('cgrp', colr(0, GREY)))];
  expect(holds(plain, Buffer.concat([...direct, box('jp2c', STREAM_1)]))).toBe(true);
});

const files = new Map([
  ['AIA/a.jp2', jp2(GREY_HEADER, STREAM_0, XML_0)],
  ['AIA/b.jp2', jp2(PALETTE_HEADER, STREAM_1, null)],
]);
const frames = [...files].map(([key, file]) => frameOf(key, file));

it('the layout of a JPX file resolves every range of the file to the right ranges of the right files', () => {
  for (const linked of [true, false]) {
    const layout = jpxLayout(frames, { linked, style: 'standard' });
    const whole = layoutBytes(layout, files);
    for (let offset = 0; offset < whole.length; offset += 3) {
      for (const length of [1, 7, 40, whole.length - offset]) {
        const end = Math.min(offset + length, whole.length);
        const part = sourceBytes(new SourceSequence(layout.sources).slice(offset, end), files);
        expect(part).toEqual(whole.subarray(offset, end));
      }
    }
  }
});

it('the layout of a JPX file uses a long box header for 4 GiB, and requires at least one frame and at most 65535 links', () => {
  expect(Buffer.from(boxHeader('jp2c', 0xffffffff - 8))).toEqual(Buffer.from(hex('ffffffff 6a703263')));
  expect(Buffer.from(boxHeader('jp2c', 2 ** 32 - 8))).toEqual(Buffer.from(hex('00000001 6a703263 0000000100000008')));
  expect(() => jpxLayout([], { linked: false, style: 'standard' })).toThrow('A linked JPX file has 1 to 65535 frames, not 0.');
  const many = Array.from({ length: MAX_LINKS + 1 }, (): JpxFrame => frames[0]!);
  expect(() => jpxLayout(many, { linked: true, style: 'standard' })).toThrow('not 65536.');
});
