// The archive that a mirror copies: a tree of folders, or one behind an API of Helioviewer, version 2, where getClosestImageDatesForSources
// names the next time, getJP2Image its file. Times are whole seconds: of several images within a second, the nearest to its middle is mirrored.
import { API_PAGE_IMAGES, MIRROR_LATE_MS, MIRROR_REQUESTS } from '../../../platform/limits/mirror.ts';
import { parsedJson } from '../../../platform/util/bytes.ts';
import { SECOND_MS } from '../../../platform/util/durations.ts';
import { folderUrl } from '../../../platform/util/url.ts';
import { isSourceGroup } from '../../../sun/catalogue/datasource.ts';
import { findSource } from '../../../sun/catalogue/sources.ts';
import { parseWrittenDate } from '../../../sun/time.ts';
import { type CommandedUpstream, MirrorError, type UpstreamFile, type UpstreamPage, type UpstreamQuery } from '../ports.ts';
import { MirrorUpstream, PoliteClient, type Politeness } from './polite-client.ts';
import { TreeUpstream } from './tree-upstream.ts';

const FILE_NAME = /filename\*?="?([^";]+)/i;
const LAST_OF_SECOND_MS = SECOND_MS - 1;

/** An archive by the start of the addresses of the operations, as `https://api.helioviewer.org/v2`. */
class ApiUpstream extends MirrorUpstream {
  readonly lateMs = MIRROR_LATE_MS.api;

  async sources(): Promise<readonly number[]> {
    const ids = new Set<number>();
    const collect = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const id: unknown = Reflect.get(node, 'sourceId');
      const source = typeof id === 'number' ? findSource(id) : undefined;
      if (source && !isSourceGroup(source)) ids.add(source.id);
      for (const child of Object.values(node)) collect(child);
    };
    collect(await this.#json('getDataSources', {}));
    if (ids.size > 0) return [...ids].sort((a, b) => a - b);
    throw new MirrorError('absent', `getDataSources of ${this.address} names no known source. Check the address.`);
  }

  async *pages(query: UpstreamQuery): AsyncGenerator<UpstreamPage> {
    let fromMs = query.fromMs;
    for (;;) {
      const times = await this.#times(query, fromMs);
      let failure: string | null = null;
      const found = await Promise.all(
        times.map((atMs) =>
          this.#file(query.sourceId, atMs).catch((error: unknown) => {
            if (!(error instanceof MirrorError) || error.problem === 'busy') throw error;
            failure = error.message;
            return null;
          }),
        ),
      );
      const files = found.filter((file) => file !== null);
      const last = times.at(-1);
      const isLast = last === undefined || times.length < API_PAGE_IMAGES;
      const toMs = isLast ? query.toMs : last + LAST_OF_SECOND_MS;
      const key = `${this.address} ${query.sourceId} ${isoMs(fromMs)}`;
      yield { key, version: null, isUnchanged: false, failure, files, span: { fromMs, toMs } };
      if (isLast) return;
      fromMs = toMs + 1;
    }
  }

  /** Times of the next images in whole seconds, from the first at or after `fromMs`. */
  async #times({ sourceId, cadenceMs, toMs }: UpstreamQuery, fromMs: number): Promise<number[]> {
    const times: number[] = [];
    for (let afterMs = fromMs - 1; times.length < API_PAGE_IMAGES; ) {
      const nextMs = await this.#next(sourceId, afterMs);
      if (nextMs === null || nextMs > toMs) break;
      times.push(nextMs);
      // The last millisecond: the original searches strictly after the time, and this service after its second.
      afterMs = nextMs + LAST_OF_SECOND_MS;
      if (cadenceMs !== null) afterMs = Math.max(afterMs, (Math.floor(nextMs / cadenceMs) + 1) * cadenceMs - 1);
    }
    return times;
  }

  async #next(sourceId: number, afterMs: number): Promise<number | null> {
    const dates = await this.#json('getClosestImageDatesForSources', { date: isoMs(afterMs), sources: String(sourceId) });
    const entry: unknown = Reflect.get(dates, String(sourceId));
    if (typeof entry !== 'object' || entry === null)
      throw new MirrorError(
        'failing',
        `getClosestImageDatesForSources of ${this.address} says nothing about source ${sourceId}.`,
      );
    const next: unknown = Reflect.get(entry, 'next_date');
    if (next === null || next === undefined) return null;
    const nextMs = typeof next === 'string' ? parseWrittenDate(next) : null;
    if (nextMs !== null && nextMs + LAST_OF_SECOND_MS > afterMs) return nextMs;
    throw new MirrorError('failing', `The next_date of source ${sourceId} is no time after ${isoMs(afterMs)}.`);
  }

  async #file(sourceId: number, atMs: number): Promise<UpstreamFile> {
    // The middle of the second is nearest to the images within it.
    const parameters = { date: isoMs(atMs + SECOND_MS / 2), sourceId: String(sourceId) };
    const record = await this.#json('getJP2Image', { ...parameters, jpip: 'true', json: 'true' });
    const uri: unknown = Reflect.get(record, 'uri');
    const fileName = typeof uri === 'string' ? (uri.split('/').at(-1) ?? '') : '';
    if (!fileName.endsWith('.jp2')) throw new MirrorError('failing', `The uri at ${isoMs(atMs)} is no address of a JP2 file.`);
    return { fileName, address: this.#operation('getJP2Image', parameters).href, atMs };
  }

  override download(file: Pick<UpstreamFile, 'fileName' | 'address'>): Promise<Uint8Array> {
    return super.download(file, (headers) => {
      const sent = FILE_NAME.exec(headers.get('Content-Disposition') ?? '')?.[1];
      if (sent === undefined || sent === file.fileName) return;
      throw new MirrorError('failing', `The upstream sends ${sent.slice(0, 100)} in place of ${file.fileName}.`);
    });
  }

  #operation(name: string, parameters: Readonly<Record<string, string>>): URL {
    const url = new URL(`${name}/`, this.ports.root);
    url.search = new URLSearchParams(parameters).toString();
    return url;
  }

  /** @throws MirrorError unless the response is a JSON object or list */
  #json(operation: string, parameters: Readonly<Record<string, string>>): Promise<object> {
    return this.ports.client.get(this.#operation(operation, parameters), {
      accept: 'application/json',
      maxBytes: MIRROR_REQUESTS.responseBytes,
      read: (bytes) => {
        const parsed = parsedJson(bytes);
        if (typeof parsed !== 'object' || !parsed) throw new MirrorError('failing', `${operation} returns no JSON object.`);
        return parsed;
      },
    });
  }
}

const isoMs = (ms: number) => new Date(ms).toISOString();

/** An upstream of the kind at an address that an operator has chosen. */
export function mirrorUpstream(kind: CommandedUpstream['kind'], address: string, politeness: Politeness): MirrorUpstream {
  const ports = { root: folderUrl(address), client: new PoliteClient(politeness) };
  return kind === 'tree' ? new TreeUpstream(ports) : new ApiUpstream(ports);
}
