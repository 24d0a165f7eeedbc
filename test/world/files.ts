// The files of a world: small images, and how their names and contents are called in stories.
import { basename } from 'node:path';
import { archivePath } from '../../demo/image-file.ts';
import { sha256Hex } from '../../src/platform/util/bytes.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/platform/util/durations.ts';
import { sampleFile } from '../support/sample-files.ts';

export interface WorldFile {
  readonly name: string;
  /** Key in the bucket. */
  readonly key: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
  readonly sourceId: number;
  readonly date: string;
}

const SIZE = 64;
/** Arcseconds per pixel at full resolution. */
export const SCALE = 38.72705408;

async function fileOf(sourceId: number, timeMs: number): Promise<WorldFile> {
  const shot = { sourceId, timeMs, size: SIZE };
  const bytes = new Uint8Array(await sampleFile(shot));
  const path = archivePath(shot);
  const date = new Date(timeMs).toISOString();
  return { name: basename(path), key: `jp2/${path}`, bytes, sha256: await sha256Hex(bytes), sourceId, date };
}

/** Before the beginning of a world: within a week, whose images are not settled, and before it. */
const RECENT = Date.UTC(2024, 4, 10, 12);
const EARLIER = Date.UTC(2024, 3, 20, 12);
const each = (count: number, sourceId: number, fromMs: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => fileOf(sourceId, fromMs + i * MINUTE_MS)));

/** Contents of uploads, two for each name, of which any may be a version of any name. */
export const CONTENTS = (
  await Promise.all([RECENT, EARLIER, RECENT + HOUR_MS, EARLIER + HOUR_MS].map((fromMs) => each(2, 10, fromMs)))
).flat();
/** Files that others put into the bucket. */
export const FOUND = [...(await each(1, 13, RECENT)), ...(await each(1, 13, EARLIER))];
/** Files of an archive that is mirrored. */
export const ELSEWHERE = await each(2, 14, RECENT);
/** Images that stay. */
export const STABLE = await each(4, 12, RECENT);

/** Kinds of responses about an image. */
export const PATHS = 6;

export function pathsOf(id: number, { key, date, sourceId }: WorldFile): readonly string[] {
  const [seconds, window] = [Date.parse(date) / 1000, `${key.slice('jp2'.length)}?stream=0&fsiz=32,32,closest`];
  return [
    `/v2/downloadImage/?id=${id}&width=48&type=png`,
    `/v2/getTile/?id=${id}&x=-1&y=-1&imageScale=${SCALE / 2}`,
    `/v2/getJPX/?startTime=${date}&endTime=${date}&sourceId=${sourceId}`,
    `/v2/getJPXClosestToMidPoint/?startTimes=${seconds - 9}&endTimes=${seconds + 9}&sourceId=${sourceId}&linked=true`,
    `/jpip${window}`,
    `/jpip${window}&cnew=http`,
  ];
}
