// The XML header of an archived image, read from its JP2 by the boxes, mostly from the start alone.
import { headerBox, scanForXml, walkBoxes } from '../jp2/boxes.ts';
import { decodeXmlText, type Jp2Header, parseXmlHeader } from '../jp2/xml-header.ts';
import { HEADER_SEARCH } from '../platform/limits/images.ts';
import type { Stopwatch } from '../platform/ports/timing.ts';
import type { ObjectStore } from '../platform/storage/r2-object-store.ts';
import { Failure, missingFile, when } from '../platform/util/errors.ts';
import type { ArchivedImage } from '../sun/image.ts';

type Readable = Pick<ObjectStore, 'read'>;
type Image = Pick<ArchivedImage, 'key' | 'byteLength'>;

async function readPart(objects: Readable, { key, byteLength }: Image, at: number, length: number): Promise<Uint8Array> {
  const part = await objects.read(key, at, Math.min(length, byteLength - at));
  if (!part) throw missingFile(key);
  return part;
}

/** The text of the box that `readBoxes` takes, found by the lengths of the boxes; null where they lead to none. */
async function findByBoxes(objects: Readable, image: Image): Promise<Uint8Array | null> {
  const { firstBytes, maxBytes, maxReads } = HEADER_SEARCH;
  let [at, length] = [0, firstBytes as number];
  for (let reads = 0; reads < maxReads && at < image.byteLength; reads++) {
    const part = await readPart(objects, image, at, length);
    const boxes = walkBoxes(part, 0, part.length, image.byteLength - at);
    const whole = boxes.filter(({ end }) => end <= part.length);
    const found = headerBox(part, whole);
    if (found) return part.subarray(found.start, found.end);
    const next = whole.at(-1)?.end ?? 0;
    const cut = boxes[whole.length];
    if (!cut && next === 0) return null;
    const isSkipped = cut && (cut.type === 'jp2c' || cut.end - next > maxBytes);
    at += isSkipped ? cut.end : next;
    length = cut && !isSkipped ? Math.max(firstBytes, cut.end - next) : firstBytes;
  }
  return null;
}

/** `<meta>` at the front of a file whose box lengths are wrong; null where it is not complete. */
async function findByText(objects: Readable, image: Image): Promise<Uint8Array | null> {
  for (const length of [HEADER_SEARCH.firstBytes, HEADER_SEARCH.maxBytes]) {
    const front = await readPart(objects, image, 0, length);
    const found = scanForXml(front);
    if (found && found.end < front.length) return front.subarray(found.start, found.end);
  }
  return null;
}

/** The header of an archived image. @throws Failure `missing-file`, or `bad-header` when the file has no readable header */
export async function jp2Header(ports: { objects: Readable; stopwatch: Stopwatch }, image: Image): Promise<Jp2Header> {
  const meta = await ports.stopwatch
    .measure('read', async () => (await findByBoxes(ports.objects, image)) ?? (await findByText(ports.objects, image)))
    // An object shorter than its row says.
    .catch(when(RangeError, (error) => Promise.reject(badHeader(error))));
  const header = meta && parseXmlHeader(decodeXmlText(meta));
  if (!header) throw badHeader();
  return header;
}

function badHeader(cause?: unknown): Failure {
  return new Failure('bad-header', 'The header of this image cannot be read.', { cause });
}
