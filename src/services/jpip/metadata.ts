// Metadata-bin 0 of a target. It is not stored: its own bytes are generated, the rest is read from the JP2 files.
import { Failure } from '../../domain/errors.ts';
import type { ByteSource } from '../../imaging/byte-source.ts';
import type { Jp2Index } from '../../imaging/jp2/sidecar.ts';
import { metadataSources, placeholderBox } from '../../imaging/jpip/metadata-bin.ts';
import { jpxLayout } from '../../imaging/jpx/layout.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { framesOf } from '../jpx/jpx-files.ts';
import type { JpxManifest } from '../jpx/jpx-manifest.ts';

/** Headers of a jp2c box: LBox and TBox, with or without XLBox. */
const SHORT_HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
const JP2C = new TextEncoder().encode('jp2c');

const isCodestreamHeader = (bytes: Uint8Array): boolean => JP2C.every((byte, i) => bytes[4 + i] === byte);

/** The header of the jp2c box that ends at `end`; empty without one, as in bare codestreams and files with broken box lengths. */
async function codestreamHeader(objects: Pick<ObjectStore, 'read'>, key: string, end: number): Promise<Uint8Array> {
  const length = Math.min(LONG_HEADER_BYTES, end);
  const bytes = await objects.read(key, end - length, length);
  if (!bytes) throw new Failure('missing-file', 'The file of this image is missing from the archive.');
  for (const size of [SHORT_HEADER_BYTES, LONG_HEADER_BYTES]) {
    const header = bytes.subarray(bytes.length - size);
    if (header.length === size && isCodestreamHeader(header)) return header;
  }
  return new Uint8Array(0);
}

/** @throws Failure (missing-file) */
export async function jp2Metadata(
  objects: Pick<ObjectStore, 'read'>,
  key: string,
  { codestreamOffset, codestreamLength, fileLength }: Jp2Index,
): Promise<ByteSource[]> {
  const found = await codestreamHeader(objects, key, codestreamOffset);
  // A codestream without a box of its own reaches to the end of the file, which LBox = 0 states.
  const header = found.length ? found : Uint8Array.of(0, 0, 0, 0, ...JP2C);
  const end = codestreamOffset + codestreamLength;
  return [
    { key, offset: 0, length: codestreamOffset - found.length },
    placeholderBox(header, 0),
    { key, offset: end, length: fileLength - end },
  ];
}

export function jpxMetadata(manifest: JpxManifest): ByteSource[] {
  return metadataSources(jpxLayout(framesOf(manifest), manifest).sources);
}
