// Requests of OpenSpace for solar imagery: the frames of a period by getJPX, whose cadence it gives twice, then each file.
import { describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/util/durations.ts';
import { recent } from '../samples/sample-files.ts';
import { bytesOf, jp2Of, jsonOf, recentArchive, send } from './archive.ts';

const END_MS = Math.floor((recent.todayMs - 15 * DAY_MS) / MINUTE_MS) * MINUTE_MS + 30_000;
const START_MS = END_MS - 6 * MINUTE_MS;

const iso = (ms: number) => new Date(ms).toISOString();

describe('OpenSpace', () => {
  it('lists the frames of a period and downloads their files', async () => {
    const ids = await recentArchive(10);
    const period = `startTime=${iso(START_MS)}&endTime=${iso(END_MS)}`;
    const response = await send(`/v2/getJPX/?${period}&sourceId=10&verbose=true&cadence=true&cadence=60`);
    const { frames, message } = await jsonOf<{ frames: number[]; message: string | null }>(response);
    expect([frames.length, message]).toEqual([6, null]);
    const names = [...ids.keys()].sort();
    for (const [i, frame] of frames.entries()) {
      const date = `${new Date(Math.floor(frame) * 1000).toISOString().slice(0, 19)}.000`;
      const file = await bytesOf(await send(`/v2/getJP2Image/?date=${date}Z&sourceId=10`));
      expect(file.equals(jp2Of(recent.files, names[i]!))).toBe(true);
    }
  });
});
