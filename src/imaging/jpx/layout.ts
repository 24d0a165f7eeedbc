// A JPX file as a list of its bytes: what is written here and what stands in the JP2 files of its frames. ISO/IEC 15444-2, Annex M.

import type { JpxStyle } from '../../domain/jpx/style.ts';
import { concatenated } from '../../util/concatenated.ts';
import { box, boxHeader, u16, u32, u64 } from './box.ts';
import { fileHeader, frameHeaders, opacityTypes } from './frame-headers.ts';
import { readerRequirements } from './reader-requirements.ts';

/** Bytes of a file of a frame. */
export interface FilePart {
  readonly offset: number;
  readonly length: number;
}

export interface JpxFrame {
  /** Object key of the JP2 file. */
  readonly key: string;
  /** Where the JP2 file is below the root of the images, for links. */
  readonly path: string;
  readonly codestream: FilePart;
  /** Content of its XML box; null where it has none. */
  readonly xml: FilePart | null;
  /** Its JP2 header box, whole. */
  readonly header: Uint8Array;
  /** Rsiz of its codestream. */
  readonly rsiz: number;
}

export interface JpxForm {
  /** True: the frames are links to the JP2 files. */
  readonly linked: boolean;
  readonly style: JpxStyle;
}

/** Bytes of the file: written ones, or a part of an object. */
export type Segment =
  | { readonly length: number; readonly bytes: Uint8Array }
  | { readonly length: number; readonly key: string; readonly offset: number };

/** The segments follow each other without a gap. The same frames in the same form are the same bytes. */
export interface JpxLayout {
  readonly length: number;
  readonly segments: readonly Segment[];
}

/** Links are numbered in 16 bits, and an index for the data that is no link takes one: M.11.3. */
export const MOST_LINKS = 0xffff;

const SIGNATURE = box('jP  ', Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a));

/** Numbers of an association (M.11.4): codestream i and compositing layer i. */
const CODESTREAM_NUMBER = 0x01000000;
const LAYER_NUMBER = 0x02000000;

/** Puts segments one after the other, written bytes next to each other as one. */
class Segments {
  readonly #segments: Segment[] = [];
  #written: Uint8Array[] = [];
  #length = 0;

  write(...parts: readonly Uint8Array[]): void {
    this.#written.push(...parts);
  }

  copy(key: string, { offset, length }: FilePart): void {
    this.#flush();
    if (length > 0) this.#push({ length, key, offset });
  }

  finish(): JpxLayout {
    this.#flush();
    return { length: this.#length, segments: this.#segments };
  }

  #flush(): void {
    const bytes = concatenated(this.#written);
    this.#written = [];
    if (bytes.length > 0) this.#push({ length: bytes.length, bytes });
  }

  #push(segment: Segment): void {
    this.#segments.push(segment);
    this.#length += segment.length;
  }
}

/** A file of links cannot be opened as JP2, which the strict form says. */
function fileType({ linked, style }: JpxForm): Uint8Array {
  const isJp2Too = style === '2016' || !linked;
  const minorVersion = style === '2016' ? 0 : 1;
  const brands = isJp2Too ? 'jpx jp2 jpxb' : 'jpx ';
  return box('ftyp', new TextEncoder().encode('jpx '), u32(minorVersion), new TextEncoder().encode(brands));
}

function requirementsOf(frames: readonly JpxFrame[], linked: boolean): Uint8Array {
  const rsiz = new Set(frames.map((frame) => frame.rsiz));
  const headers = new Set(frames.map((frame) => frame.header));
  const opacity = new Set([...headers].flatMap(opacityTypes));
  return readerRequirements({ frames: frames.length, linked, rsiz, opacity });
}

/** One fragment, the content of the codestream box in the n-th linked file, n from 1: M.11.3.1. */
function fragmentTable({ codestream }: JpxFrame, n: number): Uint8Array {
  return box('ftbl', box('flst', u16(1), u64(codestream.offset), u32(codestream.length), u16(n)));
}

/** Servers of JPX files read `./` as their folder of images. */
function links(frames: readonly JpxFrame[], style: JpxStyle): Uint8Array {
  const urls = frames.map(({ path }) => {
    const location = `file://./${style === '2016' ? path : encodeURI(path)}\0`;
    return box('url ', u32(0), new TextEncoder().encode(location));
  });
  return box('dtbl', u16(urls.length), ...urls);
}

const numberList = (i: number) => box('nlst', u32(CODESTREAM_NUMBER + i), u32(LAYER_NUMBER + i));

/** Bytes of the association of frame `i`; 0 without XML. */
function associationBytes({ xml }: JpxFrame, i: number): number {
  if (!xml) return 0;
  return boxHeader('asoc', 0).length + numberList(i).length + boxHeader('xml ', xml.length).length + xml.length;
}

function writeAssociation(file: Segments, frame: JpxFrame, i: number): void {
  if (!frame.xml) return;
  const content = associationBytes(frame, i) - boxHeader('asoc', 0).length;
  file.write(boxHeader('asoc', content), numberList(i), boxHeader('xml ', frame.xml.length));
  file.copy(frame.key, frame.xml);
}

function writeAssociations(file: Segments, frames: readonly JpxFrame[]): void {
  const content = frames.reduce((sum, frame, i) => sum + associationBytes(frame, i), 0);
  if (content === 0) return;
  file.write(boxHeader('asoc', content));
  frames.forEach((frame, i) => {
    writeAssociation(file, frame, i);
  });
}

/**
 * Lays out a JPX file of `frames`, of which there is at least one.
 * @throws RangeError for more frames than there are links
 */
export function jpxLayout(frames: readonly JpxFrame[], form: JpxForm): JpxLayout {
  const { linked, style } = form;
  const [first] = frames;
  if (!first || (linked && frames.length > MOST_LINKS)) {
    throw new RangeError(`Expected 1 to ${MOST_LINKS} frames, got ${frames.length}.`);
  }
  const headers = new Map<Uint8Array, Uint8Array[]>();
  const headersOf = (header: Uint8Array) => {
    const kept = headers.get(header) ?? frameHeaders(header, first.header, style);
    headers.set(header, kept);
    return kept;
  };
  const file = new Segments();
  file.write(SIGNATURE, fileType(form));
  if (style === 'standard') file.write(requirementsOf(frames, linked));
  file.write(fileHeader(first.header, style));
  frames.forEach((frame, i) => {
    file.write(...headersOf(frame.header));
    if (linked) file.write(fragmentTable(frame, i + 1));
    else {
      file.write(boxHeader('jp2c', frame.codestream.length));
      file.copy(frame.key, frame.codestream);
    }
    if (style === 'standard') writeAssociation(file, frame, i);
  });
  if (style === '2016') writeAssociations(file, frames);
  if (linked) file.write(links(frames, style));
  return file.finish();
}

/** The segments that hold `length` bytes from `offset` of the file, cut to them. */
export function segmentsOfRange({ segments }: JpxLayout, { offset, length }: FilePart): Segment[] {
  const end = offset + length;
  const found: Segment[] = [];
  let start = 0;
  for (const segment of segments) {
    const from = Math.max(offset - start, 0);
    const to = Math.min(end - start, segment.length);
    if (from < to) {
      found.push(
        'bytes' in segment
          ? { length: to - from, bytes: segment.bytes.subarray(from, to) }
          : { length: to - from, key: segment.key, offset: segment.offset + from },
      );
    }
    start += segment.length;
  }
  return found;
}
