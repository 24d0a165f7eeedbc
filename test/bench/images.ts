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

/** `parts`: what their file names contain, one image each. */
export async function largeImages(log: (line: string) => void, parts: readonly string[] = REAL): Promise<LargeImage[]> {
  const directory = join(SAMPLES_DIR, 'jp2');
  if (!existsSync(directory)) {
    log(`no real images in ${directory}: nothing to measure; set SAMPLES_DIR`);
    return [];
  }
  return parts.flatMap((part) => {
    const fileName = readdirSync(directory).find((entry) => entry.includes(part));
    return fileName ? [{ name: part.replace(/^SDO_/, ''), fileName, file: readFileSync(join(directory, fileName)) }] : [];
  });
}

/** A copy of an image that was taken `minutes` past the first hour of 2022: only its date and name differ. */
export function atMinute({ name, fileName, file }: LargeImage, minutes: number): LargeImage {
  const two = String(minutes).padStart(2, '0');
  const copy = new Uint8Array(file);
  const text = new TextDecoder('latin1').decode(copy.subarray(0, 65_536));
  const at = text.search(/<DATE-OBS>\d{4}-\d\d-\d\dT\d\d:/) + '<DATE-OBS>'.length;
  copy.set(new TextEncoder().encode(`2022-01-01T00:${two}`), at);
  const rest = fileName.replace(/^\d{4}_\d\d_\d\d__\d\d_\d\d/, '');
  return { name, fileName: `2022_01_01__00_${two}${rest}`, file: copy };
}
