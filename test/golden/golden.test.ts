import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readPng } from '../support/imaging/read-png.ts';
import { changedNames, present, recorded } from './blessed.ts';
import { goldenCases } from './cases.ts';
import { compare, renderCase, threePanels } from './render.ts';

const images = resolve(import.meta.dirname, 'images');
/** Output folder of a failure: golden, actual and difference side by side. */
const panels = resolve(import.meta.dirname, '../../build/golden');

it('the render version rises with every change of a colour table or golden image, and equals the one that was blessed', () => {
  const changed = changedNames(recorded(), present());
  const sentence = `${changed.join(', ')} changed. Raise RENDER_VERSION with npm run bless, so that no stored picture of the old pixels is served.`;
  expect(changed, sentence).toEqual([]);
  expect(present(), 'run npm run bless, which records the new names or version').toEqual(recorded());
});

it.each(goldenCases)('golden images: $name: $title', async (golden) => {
  const file = resolve(images, `${golden.name}.png`);
  expect(existsSync(file), `no golden image ${golden.name}: run npm run bless -- ${golden.name}`).toBe(true);
  const before = readPng(readFileSync(file));
  const after = await renderCase(golden);
  const change = compare(before, after);
  const picture = resolve(panels, `${golden.name}.png`);
  if (change.pixels > 0) {
    mkdirSync(panels, { recursive: true });
    writeFileSync(picture, await threePanels(before, after));
  }
  expect(change, `see ${picture}; npm run bless -- ${golden.name} accepts it`).toEqual({ pixels: 0, most: 0 });
});
