// A movie that the page saves, and its frames.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PATIENCE } from '../explorer/views.ts';
import { decodeVideos, probeVideo } from '../movies/ffprobe.ts';

/** R, G and B of a picture. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly at: (x: number, y: number) => readonly number[];
}

/** Saves by the button of the panel, to a folder. */
export async function savedMovie(page: Page, folder: string) {
  const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), page.click('#save-movie')]);
  const name = download.suggestedFilename();
  const file = join(folder, name);
  await download.saveAs(file);
  const facts = await probeVideo(file);
  const [rgb] = await decodeVideos([file]);
  const { width, height } = facts;
  /** A frame, from 0. */
  const frame = (index: number): Pixels => {
    const start = 3 * index * width * height;
    return { width, height, at: (x, y) => [...rgb!.subarray(start + 3 * (y * width + x), start + 3 * (y * width + x) + 3)] };
  };
  return { name, facts, frame };
}
