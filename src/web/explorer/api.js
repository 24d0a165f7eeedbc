// Requests of the page to the service.

/**
 * The JSON body of a response and its headers.
 * @throws Error with the sentence of the service
 */
async function request(path, signal) {
  const response = await fetch(path, { signal });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `The service failed with status ${response.status}. Try again later.`);
  return { body, headers: response.headers };
}

export const recordAddress = (sourceId, date) => `/v2/getClosestImage/?${new URLSearchParams({ date, sourceId })}`;
export const fileAddress = (id) => `/v2/getJP2Image/?id=${id}`;
export const headerAddress = (id) => `/v2/getJP2Header/?id=${id}`;
export const tileAddress = (id, x, y, imageScale) => `/v2/getTile/?id=${id}&x=${x}&y=${y}&imageScale=${imageScale}`;

/** The tree of sources that have images. */
export async function catalogue() {
  return (await request('/v2/getDataSources/')).body;
}

/**
 * The image nearest to `date` (ISO 8601): its record, with `takenAt` (ISO 8601, to the millisecond) and `distanceSeconds`,
 * negative when the image is older than `date`.
 */
export async function closestImage(sourceId, date, signal) {
  const { body, headers } = await request(recordAddress(sourceId, date), signal);
  return { ...body, takenAt: headers.get('X-Image-Date'), distanceSeconds: Number(headers.get('X-Image-Distance')) };
}

/** ISO dates of the images before and after a date, null where there is none. */
export async function neighbours(sourceId, date, signal) {
  const query = new URLSearchParams({ date, sources: sourceId });
  const { prev_date: previous, next_date: next } = (await request(`/v2/getClosestImageDatesForSources/?${query}`, signal)).body[
    sourceId
  ];
  return { previous: previous && isoDate(previous), next: next && isoDate(next) };
}

/** Source and date (ISO 8601) of the first layer of a view that the web client shared: `{sourceId, date}`. */
export async function sharedView(key) {
  const { data } = (await request(`/v2/getWebClientState/?${new URLSearchParams({ state_id: key })}`)).body;
  const sourceId = data.imageLayers.map((layer) => Number(layer?.sourceId)).find(Number.isInteger);
  return { sourceId, date: new Date(data.date).toISOString() };
}

/** Progress of a sample archive in images, `{done, total}`; undefined when no sample archive is being added. */
export async function sampleProgress() {
  return (await request('/health')).body.sample;
}

/** `2024-05-10 12:00:00` of a response as ISO 8601. */
export function isoDate(text) {
  return `${text.replace(' ', 'T')}Z`;
}
