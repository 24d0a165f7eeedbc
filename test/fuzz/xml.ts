// Fuzzes the XML header parser with damaged headers and awkward markup.
import { decodeXmlText, headerDocument, parseXmlHeader } from '../../src/jp2/xml-header.ts';
import { SAMPLE_XML } from '../support/jp2/jp2-file.ts';
import { archiveFiles, xmlOfSample } from '../support/real-files.ts';
import type { FuzzReplay, FuzzTarget } from './fuzzer.ts';
import { damagedOf, pick, type Random } from './mutate.ts';

const FRAGMENTS = [
  ...'< > </ <a> </a> " \' & &# &#x ; <meta> <fits> </fits> =""'.split(' '),
  ...['<a ', '<fits ', ' ', '\n', '\0'],
];

/** Time limit for one header, because ingest parses one for every file. */
const TIME_LIMIT_MS = 1000;

/** @throws Error for text of a header that is not trimmed, and for a header that takes longer than a second */
function parseDamaged(damaged: Uint8Array): void {
  const from = performance.now();
  const header = parseXmlHeader(decodeXmlText(damaged));
  if (header) {
    if (!headerDocument(header).endsWith('</meta>')) throw new Error('Expected a document that ends with </meta>.');
    for (const [name, value] of [...header.fits, ...header.helioviewer])
      if (name === '' || value === '' || value !== value.trim())
        throw new Error(`Expected trimmed text for keyword ${name}, got "${value}".`);
  }
  const took = performance.now() - from;
  if (took > TIME_LIMIT_MS)
    throw new Error(`Expected a header within ${TIME_LIMIT_MS} ms, got one after ${Math.round(took)} ms.`);
}

export const xmlReplay: FuzzReplay = () => parseDamaged;

export const xmlTarget: FuzzTarget = () => {
  const bytes = new TextEncoder();
  const headers = [
    Buffer.from(`\ufeff${SAMPLE_XML}`, 'utf16le'),
    ...[SAMPLE_XML, ...archiveFiles.map(xmlOfSample)].map((header) => bytes.encode(header)),
  ];
  const repeated = (random: Random): Uint8Array => {
    const some = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(random, FRAGMENTS)).join('');
    return bytes.encode(`<meta><fits>${some.repeat(Math.floor((random() * 200_000) / some.length))}</fits></meta>`);
  };
  return (random, onInput) => {
    const damaged = random() < 0.1 ? repeated(random) : damagedOf(random, headers);
    onInput(damaged);
    parseDamaged(damaged);
  };
};
