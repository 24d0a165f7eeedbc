import { expect, it } from 'vitest';
import { addressIn } from '../../../src/picture/address/address-in.ts';
import { sha256Hex } from '../../../src/platform/util/bytes.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { ingest, samples, send } from '../service.ts';

const bytesOf = async (path: string): Promise<Uint8Array> => {
  const response = await send(path);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(response.status, new TextDecoder().decode(bytes.subarray(0, 300))).toBe(200);
  return bytes;
};

it('a finished file names its address, which gives the same bytes again, its image, the version and the credit', async () => {
  const [sample] = samples;
  const { id, sourceId, date } = await ingest(sample!);
  const digest = await sha256Hex(sample!.bytes);
  const picture = `date=${date}&imageScale=9.60&layers=[${sourceId},1,100]&x0=0&y0=0&width=320&height=240`;
  const range = `sourceId=${sourceId}&startTime=${date}&endTime=${date}&x=100&y=200&width=60&height=60`;
  const screenshot = new RegExp(
    `^/v2/takeScreenshot/\\?date=${new Date(date).toISOString()}&imageScale=9.6&layers=\\[${sourceId},1,100\\]&x1=-1536&y1=-1152`,
  );
  const files: readonly (readonly [string, RegExp])[] = [
    [`takeScreenshot/?${picture}&display=1&scale=1&ranges=[20,200]`, screenshot],
    [`takeScreenshot/?${picture}&display=true&type=jpg&watermark=true&planetLabels=mars,venus`, screenshot],
    [`takeScreenshot/?${picture}&display=true&type=webp&quality=80`, screenshot],
    [`downloadImage/?scale=2&id=${id}`, new RegExp(`^/v2/downloadImage/\\?id=${id}&width=128$`)],
    [
      `downloadImage/?id=${id}&width=100&type=webp&colour=false`,
      new RegExp(`^/v2/downloadImage/\\?id=${id}&width=100&type=webp`),
    ],
    [`getImageData/?id=${id}&level=4`, new RegExp(`^/v2/getImageData/\\?id=${id}&level=4$`)],
    [`getCutout/?${range}`, /^\/v2\/getCutout\/\?sourceId=/],
    [`getLightCurve/?${range}&format=svg`, /^\/v2\/getLightCurve\/\?sourceId=/],
    [`getLightCurve/?${range}&format=fits`, /^\/v2\/getLightCurve\/\?sourceId=/],
    [
      `getTimeDistance/?sourceId=${sourceId}&startTime=${date}&endTime=${date}&path=[[0,0],[200,100]]`,
      /&path=\[\[0,0\],\[200,100\]\]/,
    ],
  ];
  for (const [path, expected] of files) {
    const file = await bytesOf(`/v2/${path}`);
    const address = addressIn(file)!;
    expect(address, path).toMatch(expected);
    expect(Buffer.compare(await bytesOf(address), file), address).toBe(0);
    const text = new TextDecoder('latin1')
      .decode(file)
      .replaceAll(/ *HISTORY /g, '')
      .replaceAll('&amp;', '&');
    for (const part of [`Images: ${id} sha256:${digest}`, 'Software: helioedge ', 'Credit: Courtesy of NASA/SDO'])
      expect(text.includes(part), `${path} ${part}`).toBe(true);
    if (file[1] === 0x50) expect(readPng(file).width).toBeGreaterThan(99);
  }
});
