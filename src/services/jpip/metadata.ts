// Metadata-bin 0 of a target: its file with a placeholder in the place of each codestream. Nothing of it is kept: it is written
// anew from what is known of the file, and read from the JP2 files where it is theirs.
import { Failure } from '../../domain/errors.ts';
import type { Jp2Index } from '../../imaging/jp2/sidecar.ts';
import { metadataSegments } from '../../imaging/jpip/metadata-bin.ts';
import { placeholder } from '../../imaging/jpip/placeholder.ts';
import { jpxLayout } from '../../imaging/jpx/layout.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { framesOf } from '../jpx/jpx-files.ts';
import type { JpxManifest } from '../jpx/jpx-manifest.ts';
import type { Piece } from './pieces.ts';

/** Headers of a jp2c box: LBox and TBox, with XLBox in front of the content or without. */
const SHORT_HEADER = 8;
const LONG_HEADER = 16;
const JP2C = new TextEncoder().encode('jp2c');

const isCodestreamHeader = (bytes: Uint8Array): boolean => JP2C.every((byte, i) => bytes[4 + i] === byte);

/** The header of the jp2c box that ends at `end`; empty where there is none, as in files with broken box lengths. */
async function codestreamHeader(objects: Pick<ObjectStore, 'read'>, key: string, end: number): Promise<Uint8Array> {
  const length = Math.min(LONG_HEADER, end);
  const bytes = await objects.read(key, end - length, length);
  if (!bytes) throw new Failure('missing-file', 'The file of this image is missing from the archive.');
  for (const size of [SHORT_HEADER, LONG_HEADER]) {
    const header = bytes.subarray(bytes.length - size);
    if (header.length === size && isCodestreamHeader(header)) return header;
  }
  return new Uint8Array(0);
}

export async function jp2Metadata(
  objects: Pick<ObjectStore, 'read'>,
  key: string,
  { codestreamOffset, codestreamLength, fileLength }: Jp2Index,
): Promise<Piece[]> {
  const found = await codestreamHeader(objects, key, codestreamOffset);
  // Without a box of its own the codestream reaches to the end of the file: length 0 says so.
  const header = found.length ? found : Uint8Array.of(0, 0, 0, 0, ...JP2C);
  const behind = codestreamOffset + codestreamLength;
  return [
    { key, offset: 0, length: codestreamOffset - found.length },
    placeholder(header, 0),
    { key, offset: behind, length: fileLength - behind },
  ];
}

export function jpxMetadata(manifest: JpxManifest): Piece[] {
  const { segments } = jpxLayout(framesOf(manifest), manifest);
  return metadataSegments(segments).map((segment) => ('bytes' in segment ? segment.bytes : segment));
}
