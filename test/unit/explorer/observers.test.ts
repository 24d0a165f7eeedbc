import { expect, it } from 'vitest';
import { imageObserver } from '../../../src/domain/coordinates/observer.ts';
import { observerOf } from '../../../src/web/explorer/model/image-observer.ts';

it('the page takes the observer of an image from what was drawn of it, and from its header once that has loaded', () => {
  const fsi = { takenAt: '2022-04-01T00:00:45Z', dsun: 51_427_121_540 };
  const onLine = imageObserver(Date.parse(fsi.takenAt), fsi.dsun, new Map());
  expect(observerOf(fsi, null)).toEqual(onLine);
  const drawn = { b0Degrees: 2.1, longitudeDegrees: 101.9 };
  expect(observerOf(fsi, null, drawn)).toEqual({ ...onLine, ...drawn });
  const fits = [
    ['HGLN_OBS', '101.8661943423178'],
    ['HGLT_OBS', '2.147125'],
  ] as const;
  expect(observerOf(fsi, fits, drawn)).toMatchObject({ b0Degrees: 2.147125, longitudeDegrees: 101.8661943423178 });
});
