import { readBoxes } from './boxes.ts';
import { parseCodestream } from './codestream.ts';
import { indexPackets } from './packet-index.ts';
import type { Jp2Index } from './sidecar.ts';

/**
 * Indexes a whole JP2 file (or a bare codestream): headers, palette, and where every packet is. Throws Jp2Error when it is
 * broken, cut short, too large or uses what is not decoded.
 */
export function indexJp2(bytes: Uint8Array): Jp2Index {
  const { codestream, xml, header, palette } = readBoxes(bytes);
  const stream = bytes.subarray(codestream.start, codestream.end);
  const headers = parseCodestream(stream);
  return {
    fileLength: bytes.length,
    codestreamOffset: codestream.start,
    codestreamLength: stream.length,
    xmlOffset: xml?.start ?? 0,
    xmlLength: xml ? xml.end - xml.start : 0,
    header,
    palette,
    size: headers.size,
    mainHeader: headers.mainHeader,
    tiles: indexPackets(headers, stream),
  };
}
