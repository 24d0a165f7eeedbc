// Files that SunPy writes.
import { expect, it } from 'vitest';
import { ingest, samples } from '../service.ts';
import { getPath } from './web-client.ts';

const json = async (path: string) => (await (await getPath(path)).json()) as Record<string, unknown>;

/** The file with its FITS keywords in lower case, as SunPy writes them. */
function withLowerCaseKeywords(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const [from, to] = [text.indexOf('<fits>'), text.indexOf('</fits>')];
  const keywords = text.slice(from, to).replace(/<\/?[\w-]+>/g, (tag) => tag.toLowerCase());
  expect(keywords).toContain('<naxis1>');
  const changed = text.slice(0, from) + keywords + text.slice(to);
  return Uint8Array.from(changed, (character) => character.charCodeAt(0));
}

it('a file of SunPy, with FITS keywords in lower case, is ingested like one in upper case', async () => {
  const [file] = samples;
  const { id, date } = await ingest({ ...file!, bytes: withLowerCaseKeywords(file!.bytes) });
  expect(date).toMatch(/^2024-05-10T12:00:/);
  const image = await json('/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z');
  expect(image).toMatchObject({ id, name: 'AIA 171', width: 256, height: 256 });
  expect(await (await getPath(`/v2/getJP2Header/?id=${id}`)).text()).toContain('<naxis1>');
});
