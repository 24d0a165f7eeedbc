import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/util/durations.ts';
import { AIA_171, AIA_193, measuringService, NOON, SHOTS } from '../../support/measurement/service.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/measure.md'), 'utf8');
const examples = [...page.matchAll(/^curl .*?"\$B(\/v2\/[^"]+)"/gm)].map((match) => match[1]!);

/** With as many images as a movie needs. */
const service = measuringService({}, undefined, [
  ...SHOTS,
  { sourceId: AIA_193, timeMs: NOON },
  ...[-60, -30, 30].map((minutes) => ({ sourceId: AIA_171, timeMs: NOON + minutes * MINUTE_MS })),
]);

describe('docs/measure.md', () => {
  it('gives an example of each operation that measures', () => {
    const named = new Set(examples.map((example) => example.split('/')[2]));
    expect([...named].sort()).toEqual([
      'getCutout',
      'getImageData',
      'getLightCurve',
      'getSolarMap',
      'getTimeDistance',
      'getValue',
    ]);
  });

  it('lets curl take brackets as they are', () => {
    const commands = page.match(/^curl .*$/gm)!;
    expect(commands.filter((command) => /"[^"]*[[{]/.test(command) && !/^curl -g /.test(command))).toEqual([]);
  });

  it.each(examples)('%s is served', async (example) => {
    const { ask } = await service;
    const url = new URL(example, 'http://sun.test');
    const response = await ask(url.pathname.split('/')[2]!, Object.fromEntries(url.searchParams));
    const isMovie = url.searchParams.get('format') === 'mp4';
    expect([response.status, response.headers.has('Location')]).toEqual([isMovie ? 303 : 200, isMovie]);
    if (isMovie) return;
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(200);
  });
});
