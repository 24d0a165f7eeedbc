// Images in the archive of the Worker under test: rows alone, or sample files with their bytes.
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { databasesFrom } from '../../../src/platform/storage/databases.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { samples } from '../samples/sample-files.ts';
import { fetchService } from '../service.ts';
import { ORIGIN } from './web-client.ts';

/** Adds rows of images at these times to the index. */
export async function addRows(sourceId: number, times: readonly string[]): Promise<void> {
  const register = new D1ImageRegister(databasesFrom(env), new MemoryIdSequences());
  const images = times.map((time, i) => {
    const { id: _id, ...image } = archivedImage((i + 1) * 16 + (sourceId % 16), sourceId, time);
    return { ...image, fileName: `${sourceId}_${i}.jp2`, key: `jp2/${sourceId}/${i}.jp2` };
  });
  await register.addAll(images);
}

/** The sample files of AIA 171: 2024-05-10 12:00:00 and 12:01:00, 256x256 pixels. */
export const sampleFiles = () =>
  samples.map(({ name, base64 }) => ({
    name,
    bytes: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
  }));

/** Uploads a file as an ingest does. */
export async function ingest({
  name,
  bytes,
}: {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}): Promise<{ id: number; date: string }> {
  const headers = { Authorization: 'Bearer a-token-for-tests-only' };
  const request = new Request(`${ORIGIN}/admin/images/${name}`, { method: 'PUT', headers, body: bytes });
  const response = await fetchService(request);
  expect(response.status).toBe(201);
  return response.json();
}
