// The XML header of an archived image, read from the front of its JP2.
import { HEADER_SEARCH } from '../../config/limits/images.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { decodeXmlText, headerDocument, parseXmlHeader } from '../../imaging/jp2/xml-header.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Stopwatch } from '../../ports/timing.ts';

/** One character per byte, so that positions in the text are positions in the file. */
const bytewise = new TextDecoder('latin1');
const CLOSING = '</meta>';

/** From `<meta` to the first `</meta>` after it; null when that is not in these bytes. */
function metaBytes(front: Uint8Array): Uint8Array | null {
  const text = bytewise.decode(front);
  const start = text.search(/<meta[\s>]/);
  const end = start < 0 ? -1 : text.indexOf(CLOSING, start);
  return end < 0 ? null : front.subarray(start, end + CLOSING.length);
}

async function findMeta(objects: ObjectStore, { key, byteLength }: ArchivedImage): Promise<Uint8Array | null> {
  const limit = Math.min(byteLength, HEADER_SEARCH.maxBytes);
  let length = Math.min(HEADER_SEARCH.firstBytes, limit);
  for (;;) {
    const front = await objects.read(key, 0, length);
    if (!front) throw new Failure('missing-file', 'The file of this image is missing from the archive.');
    const meta = metaBytes(front);
    if (meta || length === limit) return meta;
    length = Math.min(length * 4, limit);
  }
}

/**
 * The XML document that getJP2Header answers.
 * @throws Failure `missing-file`, or `bad-header` when the file has no header that can be read
 */
export async function jp2HeaderDocument(
  ports: { objects: ObjectStore; stopwatch: Stopwatch },
  image: ArchivedImage,
): Promise<string> {
  const meta = await ports.stopwatch.measure('read', () => findMeta(ports.objects, image)).catch(asBadHeader);
  const header = meta && parseXmlHeader(decodeXmlText(meta));
  if (!header) throw new Failure('bad-header', 'The header of this image cannot be read.');
  return headerDocument(header);
}

/** An object shorter than its row says is a damaged file. */
function asBadHeader(error: unknown): never {
  if (error instanceof RangeError) throw new Failure('bad-header', 'The header of this image cannot be read.', { cause: error });
  throw error;
}
