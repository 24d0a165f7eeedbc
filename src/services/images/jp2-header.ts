// The XML header of an archived image, read from the start of its JP2.
import { HEADER_SEARCH } from '../../config/limits/images.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { decodeXmlText, headerDocument, type Jp2Header, parseXmlHeader } from '../../imaging/jp2/xml-header.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Stopwatch } from '../../ports/timing.ts';
import { missingFile } from './file-errors.ts';

/** One character per byte, so that positions in the text are byte offsets. */
const bytewise = new TextDecoder('latin1');
const CLOSING = '</meta>';

/** The bytes from `<meta` to the first `</meta>` after it; null when they are not complete. */
function metaBytes(front: Uint8Array): Uint8Array | null {
  const text = bytewise.decode(front);
  const start = text.search(/<meta[\s>]/);
  const end = start < 0 ? -1 : text.indexOf(CLOSING, start);
  return end < 0 ? null : front.subarray(start, end + CLOSING.length);
}

async function findMeta(
  objects: Pick<ObjectStore, 'read'>,
  { key, byteLength }: Pick<ArchivedImage, 'key' | 'byteLength'>,
): Promise<Uint8Array | null> {
  const limit = Math.min(byteLength, HEADER_SEARCH.maxBytes);
  let length = Math.min(HEADER_SEARCH.firstBytes, limit);
  for (;;) {
    const front = await objects.read(key, 0, length);
    if (!front) throw missingFile();
    const meta = metaBytes(front);
    if (meta || length === limit) return meta;
    length = Math.min(length * 4, limit);
  }
}

/**
 * The header of an archived image.
 * @throws Failure `missing-file`, or `bad-header` when the file has no readable header
 */
export async function jp2Header(
  ports: { objects: Pick<ObjectStore, 'read'>; stopwatch: Stopwatch },
  image: Pick<ArchivedImage, 'key' | 'byteLength'>,
): Promise<Jp2Header> {
  const meta = await ports.stopwatch
    .measure('read', () => findMeta(ports.objects, image))
    .catch((error: unknown) => {
      // An object shorter than its row says.
      throw error instanceof RangeError ? badHeader(error) : error;
    });
  const header = meta && parseXmlHeader(decodeXmlText(meta));
  if (!header) throw badHeader();
  return header;
}

/**
 * The XML document that getJP2Header returns.
 * @throws Failure as `jp2Header`
 */
export async function jp2HeaderDocument(...image: Parameters<typeof jp2Header>): Promise<string> {
  return headerDocument(await jp2Header(...image));
}

function badHeader(cause?: unknown): Failure {
  return new Failure('bad-header', 'The header of this image cannot be read.', { cause });
}
