// The real files and conformance streams that are not part of the project: in SAMPLES_DIR, else beside the project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

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

export const readArchiveFile = (name: string): Uint8Array => readFileSync(resolve(directory, 'jp2', name));
export const readConformanceFile = (name: string): Uint8Array => readFileSync(resolve(directory, 'conformance', name));
