import { describe, expect, it } from 'vitest';
import { checkSkipped, ImpossibleMovie } from '../../../containers/movie/draw/job-plan.ts';
import { segmentStem } from '../../../containers/movie/encode/segmented-video.ts';
import { encoderTag, segmentObjectName, usableSegments } from '../../../containers/movie/saved-segments.ts';
import { SEGMENT_NAME } from '../../../src/domain/movies/formats.ts';

const ENCODINGS = ['mp4', 'hq', 'webm'] as const;
const TAG = encoderTag({ description: 'ffmpeg 5.1.9: H.264, VP9' });

const namesOf = (from: number, to: number, skipped = 0, tag = TAG) =>
  ENCODINGS.map((encoding) => segmentObjectName({ from, to, skipped }, encoding, tag));

describe('saved segments', () => {
  it('have object names that the service accepts', () => {
    expect(namesOf(0, 50, 2).every((name) => SEGMENT_NAME.test(name))).toBe(true);
    expect(namesOf(0, 50, 2)).toEqual([
      `part-0000-0050.mp4.${TAG}-2.mp4`,
      `part-0000-0050.hq.${TAG}-2.mp4`,
      `part-0000-0050.webm.${TAG}-2.webm`,
    ]);
  });

  it('are used up to the first gap, with their counts of skipped frames', () => {
    const names = [...namesOf(50, 90, 1), ...namesOf(0, 50, 2), ...namesOf(100, 150)];
    expect(usableSegments(names, TAG)).toEqual([
      { stem: segmentStem(0), from: 0, to: 50, skipped: 2 },
      { stem: segmentStem(50), from: 50, to: 90, skipped: 1 },
    ]);
  });

  it('are ignored without all encodings, without the first segment, and from another encoder', () => {
    expect(usableSegments(namesOf(0, 50).slice(0, 2), TAG)).toEqual([]);
    expect(usableSegments(namesOf(10, 50), TAG)).toEqual([]);
    expect(usableSegments(namesOf(0, 50, 0, encoderTag({ description: 'another' })), TAG)).toEqual([]);
    expect(usableSegments(['part-0000-0050.mp4.mp4', 'movie.mp4', ''], TAG)).toEqual([]);
  });

  it('are used in their longest form where several start at the same frame', () => {
    expect(usableSegments([...namesOf(0, 20), ...namesOf(0, 50), ...namesOf(20, 30)], TAG)).toHaveLength(1);
  });
});

describe('the limit of skipped frames', () => {
  it.each([
    [0, 10],
    [3, 10],
    [3, 30],
    [30, 300],
    [1, 3],
    [0, 2],
  ])('allows %i of %i frames', (skipped, planned) => {
    expect(() => checkSkipped(skipped, planned)).not.toThrow();
  });

  it.each([
    [4, 10, 'At least 7 of the 10 frames need readable images, but those of 4 are damaged or missing.'],
    [31, 300, 'At least 270 of the 300 frames need readable images, but those of 31 are damaged or missing.'],
    [1, 2, 'At least 2 of the 2 frames need readable images, but those of 1 are damaged or missing.'],
  ])('rejects %i of %i frames with a sentence for users', (skipped, planned, sentence) => {
    expect(() => checkSkipped(skipped, planned)).toThrow(new ImpossibleMovie(sentence));
  });
});
