// The real files and conformance streams that are not part of the project: in SAMPLES_DIR, else beside the project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { decodeXmlText } from '../../src/jp2/xml-header.ts';

const directory = resolve(process.env.SAMPLES_DIR ?? '../shared/data');

const namesIn = (folder: string, extension: string): string[] =>
  existsSync(resolve(directory, folder))
    ? readdirSync(resolve(directory, folder))
        .filter((name) => name.endsWith(extension))
        .sort()
    : [];

/** Names of the real archive files and of the conformance streams; empty when they are not there. */
export const archiveFiles: readonly string[] = namesIn('jp2', '.jp2');
export const conformanceStreams: readonly string[] = namesIn('conformance', '.j2k');

/** Titles for one test per real file; a stand-in to skip by name when they are not there. */
export const archiveTitles: readonly string[] = archiveFiles.length ? archiveFiles : ['the real archive files of SAMPLES_DIR'];

export const readArchiveFile = (name: string): Buffer => readFileSync(resolve(directory, 'jp2', name));
export const readConformanceFile = (name: string): Uint8Array => readFileSync(resolve(directory, 'conformance', name));

/** Text of the top-level XML box of a real file. */
export function xmlOfSample(name: string): string {
  const bytes = readArchiveFile(name);
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at) || bytes.length - at;
    if (bytes.toString('latin1', at + 4, at + 8) === 'xml ') return decodeXmlText(bytes.subarray(at + 8, at + length));
    at += length;
  }
  throw new Error(`Expected an XML box in ${name}, got none.`);
}
