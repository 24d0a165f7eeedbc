import { readBoxes } from './boxes.ts';
import { parseCodestream } from './codestream.ts';
import { Jp2Error } from './errors.ts';
import { type IndexOptions, indexPackets } from './packet-index.ts';
import type { Jp2Index } from './sidecar.ts';

/**
 * Indexes a whole JP2 file or a bare codestream: headers, palette, and the position of every packet.
 *
 * @throws Jp2Error when it is malformed, truncated, too large, or uses an unsupported feature
 */
export function indexJp2(bytes: Uint8Array, options: IndexOptions = { complete: false }): Jp2Index {
  const { codestream, xml, header, palette } = readBoxes(bytes);
  const stream = bytes.subarray(codestream.start, codestream.end);
  const headers = parseCodestream(stream);
  if (options.complete && !headers.isEnded)
    throw new Jp2Error('malformed', 'Expected EOC at the end of the codestream, got other bytes.');
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
    tiles: indexPackets(headers, stream, options),
  };
}
