import { describe, expect, it } from 'vitest';
import { previews } from '../../../containers/movie/draw/frames.ts';
import { readPng } from '../../support/imaging/read-png.ts';

const WIDTH = 1920;
const HEIGHT = 1200;

/** Black and white columns of one pixel on the left, a uniform colour on the right. */
const row = Array.from({ length: WIDTH }, (_, x) => (x >= WIDTH / 2 ? [200, 100, 50] : x % 2 ? [255, 255, 255] : [0, 0, 0]));
const frame = Buffer.alloc(WIDTH * HEIGHT * 3, new Uint8Array(row.flat()));

const files = await previews(frame, WIDTH, HEIGHT);

describe('the previews of a frame of 1920 x 1200', () => {
  it.each([
    ['icon', 64, 64, 40],
    ['small', 240, 180, 150],
    ['medium', 320, 240, 200],
    ['large', 640, 480, 400],
  ] as const)('%s is %d x %d with a picture %d high between black borders', (name, width, height, inner) => {
    const png = readPng(files[`preview-${name}.png`]);
    expect([png.width, png.height]).toEqual([width, height]);
    const pixel = (x: number, y: number) => [...png.rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
    const top = (height - inner) / 2;
    const right = Math.floor(width * 0.75);
    for (const y of [0, top - 1, top + inner, height - 1]) expect(pixel(right, y), `row ${y}`).toEqual([0, 0, 0]);
    for (const y of [top, height / 2, top + inner - 1]) expect(pixel(right, y), `row ${y}`).toEqual([200, 100, 50]);
    const [grey] = pixel(Math.floor(width / 4), height / 2);
    expect(Math.abs(grey! - 127.5)).toBeLessThan(20);
  });

  it('full is the unscaled frame', () => {
    const png = readPng(files['preview-full.png']);
    expect([png.width, png.height]).toEqual([WIDTH, HEIGHT]);
    expect(Buffer.compare(png.samples, frame)).toBe(0);
  });
});

it('previews of a portrait frame have borders at the sides', async () => {
  const png = readPng((await previews(new Uint8Array(100 * 400 * 3).fill(255), 100, 400))['preview-small.png']);
  const row = [...png.rgba.subarray(90 * 240 * 4, 91 * 240 * 4)].filter((_, i) => i % 4 === 0);
  expect(row.indexOf(255)).toBe(97);
  expect(row.lastIndexOf(255)).toBe(141);
});
