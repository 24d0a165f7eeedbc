// The texts of movies that the browser saves, which load with their panel.
import { texts } from '../texts.ts';
import { fill } from './catalogue.ts';
import { more } from './more.ts';
import { utc } from './times.ts';

const all = more.saving;

interface SavedFacts {
  readonly frames: number;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly megabytes: number;
}

export const saving = {
  ...all,
  range: (startMs: number, endMs: number) => fill(all.range, { start: utc(startMs), end: utc(endMs) }),
  limits: (frames: number, side: number) => fill(all.limits, { frames, side }),
  imageOf: (done: number, total: number) => fill(all.imageOf, { done, total }),
  saved: ({ seconds, megabytes, ...facts }: SavedFacts) =>
    fill(all.saved, { ...facts, seconds: texts.number(seconds, 3), megabytes: texts.number(megabytes, 2) }),
};
