// What the page asks the service.

/** The JSON answer and its headers. Throws an Error with the service's own sentence. */
async function ask(path, signal) {
  const answer = await fetch(path, { signal });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.error ?? `Expected an answer, got status ${answer.status}.`);
  return { body, headers: answer.headers };
}

export const recordAddress = (sourceId, date) => `/v2/getClosestImage/?${new URLSearchParams({ date, sourceId })}`;
export const fileAddress = (id) => `/v2/getJP2Image/?id=${id}`;
export const headerAddress = (id) => `/v2/getJP2Header/?id=${id}`;
export const tileAddress = (id, x, y, imageScale) => `/v2/getTile/?id=${id}&x=${x}&y=${y}&imageScale=${imageScale}`;

/** The tree of sources that have images. */
export async function catalogue() {
  return (await ask('/v2/getDataSources/')).body;
}

/**
 * The image nearest to `date` (ISO 8601): its record, with `takenAt` (ISO 8601, to the millisecond) and `distanceSeconds`,
 * negative when it is older than asked for.
 */
export async function closestImage(sourceId, date, signal) {
  const { body, headers } = await ask(recordAddress(sourceId, date), signal);
  return { ...body, takenAt: headers.get('X-Image-Date'), distanceSeconds: Number(headers.get('X-Image-Distance')) };
}

/** ISO dates of the images before and after a date, null where there is none. */
export async function neighbours(sourceId, date, signal) {
  const query = new URLSearchParams({ date, sources: sourceId });
  const { prev_date: previous, next_date: next } = (await ask(`/v2/getClosestImageDatesForSources/?${query}`, signal)).body[
    sourceId
  ];
  return { previous: previous && isoDate(previous), next: next && isoDate(next) };
}

/** How many images of a sample archive under way there are so far, `{done, total}`; undefined when none is. */
export async function sampleProgress() {
  return (await ask('/health')).body.sample;
}

/** `2024-05-10 12:00:00` of an answer as ISO 8601. */
export function isoDate(text) {
  return `${text.replace(' ', 'T')}Z`;
}
