// XML boxes of the real archive files, where those are at hand (SAMPLES_DIR, else beside the project).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { decodeXmlText } from '../../src/jp2/xml-header.ts';

const directory = resolve(process.env.SAMPLES_DIR ?? '../shared/data', 'jp2');

/** Names of the real files; empty when they are not there. */
export const sampleFiles: readonly string[] = existsSync(directory)
  ? readdirSync(directory)
      .filter((name) => name.endsWith('.jp2'))
      .sort()
  : [];

/** Titles for one test per real file; a stand-in to skip by name when they are not there. */
export const sampleTitles: readonly string[] = sampleFiles.length ? sampleFiles : ['the real archive files of SAMPLES_DIR'];

/** Text of the top-level XML box of a real file. */
export function xmlOfSample(name: string): string {
  const bytes = readFileSync(resolve(directory, name));
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at) || bytes.length - at;
    if (bytes.toString('latin1', at + 4, at + 8) === 'xml ') return decodeXmlText(bytes.subarray(at + 8, at + length));
    at += length;
  }
  throw new Error(`Expected an XML box in ${name}, got none.`);
}
