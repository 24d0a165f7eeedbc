// A service with sample images, and its responses.
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { expectDescribed } from '../described-responses.ts';
import { MemoryImageIndex } from '../memory/image-index.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';
import { MOVIE_TOKEN } from '../movies/internal-service.ts';
import { sampleFile } from '../sample-files.ts';
import { servedApp, testServices } from '../test-services.ts';
import { AIA_171, nameOf, SHOTS, SIZE } from './samples.ts';

/** Responses of getImageData in JSON. */
export interface ImageValues {
  readonly unit: string | null;
  readonly width: number;
  readonly height: number;
  readonly corner: { readonly x: number; readonly y: number };
  readonly pixels: { readonly measured: number; readonly below: number; readonly above: number; readonly noData: number };
  readonly wcs: { readonly crpix: readonly [number, number]; readonly cdelt: readonly [number, number] };
  readonly history: readonly string[];
  readonly values: readonly (readonly (number | null)[])[];
}

/** Responses of getLightCurve in JSON. */
export interface LightCurve {
  readonly images: number;
  readonly rows: number;
  readonly unit: string;
  readonly status: string;
  readonly rotation: string | null;
  readonly caveats: readonly string[];
  readonly grid: { readonly cells: number; readonly cellArcsec: number; readonly missingDays: readonly string[] } | null;
  readonly curve: readonly Readonly<Record<string, number | string | null>>[];
}

/** A service with sample images. `ids`: by source, of the last one. */
export async function measuringService(
  overrides: Parameters<typeof testServices>[0] = {},
  changed = (jp2: Uint8Array) => jp2,
  shots = SHOTS,
) {
  const objects = new MemoryObjectStore();
  const archive = testServices({ objects });
  const images: ArchivedImage[] = [];
  const ids = new Map<number, number>();
  for (const shot of shots) {
    const fileName = nameOf(shot.sourceId, shot.timeMs);
    const result = await archive.ingest({ fileName, jp2: changed(await sampleFile({ size: SIZE, ...shot })), replace: false });
    if (result.outcome !== 'added') throw new Error(JSON.stringify(result));
    ids.set(shot.sourceId, result.image.id);
    images.push(result.image);
  }
  const services = testServices({ objects, index: new MemoryImageIndex(images), variables: { MOVIE_TOKEN }, ...overrides });
  const app = servedApp(services);
  const ask = async (operation: string, parameters: Readonly<Record<string, unknown>>) => {
    const url = new URL(`http://sun.test/v2/${operation}/`);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
    const response = await app.request(url.href);
    await expectDescribed(url, 'GET', response);
    return response;
  };
  return { objects, archive, services, app, ids, images, ask };
}

export const iso = (ms: number) => new Date(ms).toISOString();

let sample: ReturnType<typeof measuringService> | undefined;

/** Leaves the longitude of the observer out, which is another one at other times. */
const fromEarth = (jp2: Uint8Array) =>
  Uint8Array.from(Buffer.from(Buffer.from(jp2).toString('latin1').replaceAll('CRLN_OBS', 'CRLN_OLD'), 'latin1'));

/** A service in which the sample image of AIA 171 was taken at each of these times. */
export async function repeatedService(timesMs: readonly number[]) {
  sample ??= measuringService({}, fromEarth);
  const { images, objects } = await sample;
  const image = images.find(({ sourceId }) => sourceId === AIA_171)!;
  const taken = timesMs.map((takenAtMs, i): ArchivedImage => {
    const fileName = image.fileName.replace(/^[\d_]+?__[\d_]+?__/, `2024_05_10__00_00_00_${String(i).padStart(3, '0')}__`);
    return { ...image, id: 16 * (i + 10) + 10, takenAtMs, fileName, key: image.key.replace(image.fileName, fileName) };
  });
  const service = await measuringService({ index: new MemoryImageIndex(taken) }, undefined, []);
  const ofImage = [...objects.objects].filter(([key]) => key.includes(image.fileName));
  for (const { fileName } of taken) {
    for (const [key, bytes] of ofImage) service.objects.objects.set(key.replace(image.fileName, fileName), bytes);
  }
  return { ...service, range: { sourceId: AIA_171, startTime: iso(timesMs[0]!), endTime: iso(timesMs.at(-1)!) } };
}
