// The verdict on a file in memory, through the code of the service.
import { stripsInMemory } from '../../../src/archive/reading/image-reader.ts';
import { indexJp2 } from '../../../src/jp2/sidecar.ts';
import { decodeXmlText, lawHeader, parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { countWindow, isLossless } from '../../../src/measure/image-laws.ts';
import { UNTIMED } from '../../../src/platform/ports/timing.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import { imageGeometry } from '../../../src/sun/geometry.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { confirm, type Verdict } from '../../../src/sun/laws/gate.ts';
import { recognise } from '../../../src/sun/laws/recognise.ts';
import { decodeFrom } from '../imaging/decode.ts';

/** A file with the counts of its bytes, in the disc that its own header names. */
export async function countFile(jp2: Uint8Array) {
  const index = indexJp2(jp2);
  const xml = decodeXmlText(jp2.subarray(index.xmlOffset, index.xmlOffset + index.xmlLength));
  const header = parseXmlHeader(xml)!;
  const image = { geometry: imageGeometry(header.fits, findSource(10)!), byteLength: jp2.length } as ArchivedImage;
  const reader = { strips: stripsInMemory((window) => decodeFrom(jp2, index, 0, window)[0]!) };
  const recognised = recognise(lawHeader(header));
  const disc = 'refusal' in recognised ? null : (recognised.candidates[0]?.disc ?? null);
  const census = await countWindow(reader, { image, index, partA: null }, { window: index.size, disc }, UNTIMED);
  return { xml, census, isLossless: isLossless(image, index) };
}

type Counted = Awaited<ReturnType<typeof countFile>>;

/** The verdict on a counted file, by its header or a changed one. */
export function judgeCounted({ xml, census, isLossless: lossless }: Counted, changed = (text: string) => text) {
  const verdict: Verdict = confirm(recognise(lawHeader(parseXmlHeader(changed(xml))!)), census, lossless);
  return { verdict, census };
}

export const judgeFile = async (jp2: Uint8Array) => judgeCounted(await countFile(jp2));
