// The service before its judges, and what they say of it.
import { inject } from 'vitest';

export const service = inject('judged');

/** A response of the service. @throws Error for a status other than 2xx */
export async function responseOf(path: string): Promise<Response> {
  // While a judge runs, this process does not see that the service closes a connection.
  const response = await fetch(service + path, { headers: { Connection: 'close' } });
  if (!response.ok) throw new Error(`${path} responds with ${response.status}: ${await response.text()}`);
  return response;
}

/** The JSON of a response, of any type, as it is read by programs of others. @throws as `responseOf` */
export const jsonOf = async (path: string) => JSON.parse(await (await responseOf(path)).text());

/** The numbers of the FITS header of an image. */
export async function headerOf(id: number): Promise<(keyword: string) => number> {
  const xml = await (await responseOf(`/v2/getJP2Header/?id=${id}`)).text();
  return (keyword) => Number(new RegExp(`<${keyword}>([^<]*)<`).exec(xml)?.[1]);
}

/** Prints the words of a judge, which a report of the tests does not have. */
export const verdict = (judge: string, words: string): void => console.log(`${judge}: ${words}`);
