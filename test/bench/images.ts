// The 4096 x 4096 images of the benches: real ones if available, else images of the sample archive.
import { basename } from 'node:path';
import { archiveFiles, readArchiveFile } from '../support/real-files.ts';

/** An image with precincts and one without. */
const REAL = ['SDO_AIA_AIA_193', 'SDO_HMI_HMI_magnetogram'];

export interface LargeImage {
  readonly name: string;
  readonly fileName: string;
  readonly file: Uint8Array;
}

/** Sources of the sample archive that stand in for the real files. */
const SAMPLES: Readonly<Record<string, number>> = { SDO_AIA_AIA_171: 10, SDO_AIA_AIA_193: 11, SDO_HMI_HMI_magnetogram: 19 };
const SAMPLE_MS = Date.UTC(2022, 0, 1, 0, 0, 10);
const SAMPLE_SIDE = 4096;

async function sampleImage(part: string, log: (line: string) => void): Promise<LargeImage[]> {
  const sourceId = SAMPLES[part];
  if (sourceId === undefined) return [];
  log(`no real image ${part} in SAMPLES_DIR: using one of the sample archive`);
  const shot = { sourceId, timeMs: SAMPLE_MS, size: SAMPLE_SIDE };
  const { archivePath, imageFile } = await import('../../demo/image-file.ts');
  return [{ name: `sample ${part.replace(/^SDO_/, '')}`, fileName: basename(archivePath(shot)), file: await imageFile(shot) }];
}

/** One image for each of `parts`, the substrings of their file names. */
export async function largeImages(log: (line: string) => void, parts: readonly string[] = REAL): Promise<LargeImage[]> {
  const images = parts.map(async (part): Promise<LargeImage[]> => {
    const fileName = archiveFiles.find((entry) => entry.includes(part));
    if (!fileName) return sampleImage(part, log);
    return [{ name: part.replace(/^SDO_/, ''), fileName, file: readArchiveFile(fileName) }];
  });
  return (await Promise.all(images)).flat();
}

/** A copy of an image with another date, `minutes` after the start of 2022, and its name. */
export function atMinute({ name, fileName, file }: LargeImage, minutes: number): LargeImage {
  const two = (number: number) => String(number).padStart(2, '0');
  const [hour, minute] = [two(Math.floor(minutes / 60)), two(minutes % 60)];
  const copy = new Uint8Array(file);
  const text = new TextDecoder('latin1').decode(copy.subarray(0, 65_536));
  const at = text.search(/<DATE-OBS>\d{4}-\d\d-\d\dT\d\d:/) + '<DATE-OBS>'.length;
  copy.set(new TextEncoder().encode(`2022-01-01T${hour}:${minute}`), at);
  const rest = fileName.replace(/^\d{4}_\d\d_\d\d__\d\d_\d\d/, '');
  return { name, fileName: `2022_01_01__${hour}_${minute}${rest}`, file: copy };
}

/** A copy of an image with another minute of the same hour in its dates, and its name. */
export function inNextMinute({ name, fileName, file }: LargeImage): LargeImage {
  const next = (minute: string) => String((Number(minute) + 1) % 60).padStart(2, '0');
  const copy = new Uint8Array(file);
  const text = new TextDecoder('latin1').decode(copy.subarray(0, 65_536));
  for (const { 0: found, 1: minute, index } of text.matchAll(/<(?:DATE[-_]OBS>\d{4}-\d\d-\d\dT|TIME[-_]OBS>)\d\d:(\d\d)/g))
    copy.set(new TextEncoder().encode(next(minute!)), index + found.length - 2);
  const renamed = fileName.replace(/^(\d{4}_\d\d_\d\d__\d\d_)(\d\d)/, (_, hour: string, minute: string) => hour + next(minute));
  return { name, fileName: renamed, file: copy };
}
