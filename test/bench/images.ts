// The 4096 x 4096 images that the benches measure: real ones where they are, else one of the sample archive.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SAMPLES_DIR = process.env.SAMPLES_DIR ?? '../shared/data';

/** An image with precincts and one without, in this order. */
const REAL = ['SDO_AIA_AIA_193', 'SDO_HMI_HMI_magnetogram'];

export interface LargeImage {
  readonly name: string;
  readonly fileName: string;
  readonly file: Uint8Array;
}

export async function largeImages(log: (line: string) => void): Promise<LargeImage[]> {
  const directory = join(SAMPLES_DIR, 'jp2');
  if (!existsSync(directory)) {
    log(`no real images in ${directory}: nothing to measure; set SAMPLES_DIR`);
    return [];
  }
  return REAL.flatMap((part) => {
    const fileName = readdirSync(directory).find((entry) => entry.includes(part));
    return fileName ? [{ name: part.replace(/^SDO_/, ''), fileName, file: readFileSync(join(directory, fileName)) }] : [];
  });
}
