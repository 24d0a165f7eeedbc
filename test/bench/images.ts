// The 4096 x 4096 images of the benches: real ones if available, else images of the sample archive.
import { basename } from 'node:path';
import { MINUTE_MS } from '../../src/platform/util/durations.ts';
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

/** A copy of an image with another minute in its dates and its name. */
export function atTime({ name, fileName, file }: LargeImage, atMs: number): LargeImage {
  const [day, time] = [0, 11].map((from, i) => new Date(atMs).toISOString().slice(from, i ? 16 : 10)) as [string, string];
  const copy = new Uint8Array(file);
  const header = new TextDecoder('latin1').decode(copy.subarray(0, 65_536));
  for (const { 0: found, 1: date, index } of header.matchAll(
    /<(?:DATE|TIME)[-_]OBS>(\d{4}.\d\d.\d\dT\d\d:\d\d|\d{4}\/\d\d\/\d\d|\d\d:\d\d)/g,
  )) {
    const other = { 16: `${day}T${time}`, 10: day.replaceAll('-', '/'), 5: time }[date!.length]!;
    copy.set(new TextEncoder().encode(other), index + found.length - date!.length);
  }
  const begin = `${day.replaceAll('-', '_')}__${time.replace(':', '_')}`;
  return { name, fileName: begin + fileName.slice(begin.length), file: copy };
}

/** A copy with a date so many minutes after the start of 2022. */
export const atMinute = (image: LargeImage, minutes: number) => atTime(image, Date.UTC(2022, 0, 1) + minutes * MINUTE_MS);
