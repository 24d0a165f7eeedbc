// Parts of coefficient sidecars that a picture lacked are made after its response, whatever kind of picture it was.
import { beforeAll, expect, it } from 'vitest';
import { partKey } from '../../../src/archive/reading/coefficients.ts';
import { memoryLimits } from '../../../src/platform/limits/memory.ts';
import { NOON } from '../../support/events/event-records.ts';
import { isolateOn } from '../../support/mixed-load.ts';
import { type SampleArchive, sampleArchive } from '../../support/sample-archive.ts';

const SIDE = 768;

/** An image as indexing in place leaves it: without a coefficient sidecar. */
let archive: SampleArchive;

beforeAll(async () => {
  archive = await sampleArchive([{ sourceId: 10, timeMs: NOON, size: SIDE }]);
});

const SCENE = `date=${new Date(NOON).toISOString()}&imageScale=8&layers=[10,1,100]&x0=0&y0=0&width=300&height=300`;
const PICTURES = [
  ['a tile', '/v2/getTile/?id=1&x=0&y=0&imageScale=8'],
  ['a screenshot', `/v2/takeScreenshot/?${SCENE}&display=true`],
  ['a download', `/v2/downloadImage/?id=1&width=${SIDE}`],
] as const;

it.for(PICTURES)('the coefficient sidecar of an image without one gains a missing part after %s', async ([, path]) => {
  const isolate = isolateOn(archive, { limits: memoryLimits(), eventsPerDay: 0, patience: 60 });
  const image = archive.images[0]!;
  const made = () => (['A', 'B', 'C'] as const).filter((part) => isolate.objects.objects.has(partKey(image, part)));
  expect(made()).toEqual([]);
  expect(await isolate.get(path)).toMatch(/^200 /);
  await isolate.settle();
  expect(made()).toEqual(['A']);
});
