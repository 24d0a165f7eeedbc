// A disc with noise on a black sky, in every format whose bytes do not depend on the runtime, with the digest of the file. The
// property tests show that such files are correct; the digests show that workerd and Node write the same bytes.
import { jpeg } from '../../../src/picture/encode/jpeg.ts';
import { indexedPng, rgbPng } from '../../../src/picture/encode/png.ts';
import { webp } from '../../../src/picture/encode/webp.ts';
import { frameOverlays } from '../../../src/picture/overlays/drawing/frame-overlays.ts';
import { sha256Hex } from '../../../src/platform/util/bytes.ts';
import { drawOverlays, overlaid } from './overlays.ts';
import { encodeInStrips, scramble } from './strips.ts';

const [WIDTH, HEIGHT] = [331, 203];

function sampleAt(x: number, y: number, channel: number): number {
  const squared = (x - 165) ** 2 + (y - 101) ** 2;
  if (squared > 90 ** 2) return 0;
  return 220 - (squared >> 6) - channel * 40 + (scramble(x + y * 512 + channel * 2 ** 20) & 7);
}

const pixelsOf = (bytesPerPixel: number): Uint8Array =>
  Uint8Array.from({ length: WIDTH * HEIGHT * bytesPerPixel }, (_, i) => {
    const pixel = Math.floor(i / bytesPerPixel);
    return sampleAt(pixel % WIDTH, Math.floor(pixel / WIDTH), i % bytesPerPixel);
  });

/** `digest`: SHA-256 of the file. */
export const KNOWN_PICTURES = [
  {
    name: 'colour JPEG',
    bytesPerPixel: 3,
    create: () => jpeg(WIDTH, HEIGHT),
    digest: '577e9dcca5edef58377eeca2bcff1c96e731fc768e864191575eaae6a8437b5d',
  },
  {
    name: 'grey PNG',
    bytesPerPixel: 1,
    create: () => indexedPng(WIDTH, HEIGHT, null),
    digest: '9237a493d855721add16d263086d5eaab192e722cda5959307aeeff8d66ea56c',
  },
  {
    name: 'colour PNG',
    bytesPerPixel: 3,
    create: () => rgbPng(WIDTH, HEIGHT),
    digest: '26133d01f3a219c38221cbe229a32eb6af1dd87aeb9563f22362c1a62b871ceb',
  },
  {
    name: 'grey WebP',
    bytesPerPixel: 1,
    create: () => webp(WIDTH, HEIGHT, null),
    digest: '5e80fa38a6ba9e49ae59173154bd261a9070ff5ac73324989fffec77b5cdc9be',
  },
];

export async function digestOf({ bytesPerPixel, create }: (typeof KNOWN_PICTURES)[number]): Promise<string> {
  const frame = { width: WIDTH, height: HEIGHT, bytesPerPixel, pixels: pixelsOf(bytesPerPixel) };
  const file = await encodeInStrips(create(), frame, [64]);
  return sha256Hex(file);
}

/** SHA-256 of the pixels of overlays, as golden images show them. */
export const KNOWN_OVERLAYS = '5c895aaa781a03c90a291299451187c4465dc1a32643a7ed5577036843dc4980';

export async function digestOfOverlays(): Promise<string> {
  const size = { width: 640, height: 400 };
  const pixels = new Uint8Array(size.width * size.height * 3);
  const overlays = frameOverlays(overlaid({ ...size, scale: 0.6 }, { scale: true, watermark: true }), {
    events: [{ pin: 'AR', colour: 'FF8F97', x: 300, y: 200, label: ['\u03b2\u03b3'], polygons: [] }],
    captions: [{ name: 'SDO AIA 171', takenAtMs: Date.UTC(2021, 5, 1, 12) }],
  });
  await drawOverlays({ pixels, y0: 0, ...size }, size, overlays);
  return sha256Hex(pixels);
}
