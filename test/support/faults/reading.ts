// Readers under faults: pictures, searches and files of images that never change, screenshots, and short links.
import { ChannelIds } from '../../../src/services/jpip/channel-ids.ts';
import { sha256Hex } from '../../../src/util/bytes.ts';
import { type FaultedService, jsonOf, textOf } from './faulted-service.ts';
import type { SeededFaults } from './seeded-faults.ts';

/** An image that stays in the archive. */
export interface StableImage {
  readonly id: number;
  readonly sourceId: number;
  readonly date: string;
}

/** Arcseconds per pixel of the images at full resolution. */
export const SCALE = 38.72705408;
const FIELD = `imageScale=${SCALE}&x0=0&y0=0&width=64&height=64`;
const ADDRESSES = 8;

const scene = ({ sourceId, date }: StableImage) => `date=${date}&layers=[${sourceId},1,100]&${FIELD}`;

/** Requests whose answers are the same each time. */
export function stablePaths(images: readonly StableImage[]): string[] {
  const pictures = images.flatMap((image) => {
    const { id, sourceId, date } = image;
    return [
      `/v2/getTile/?id=${id}&x=0&y=0&imageScale=${SCALE}`,
      `/v2/getTile/?id=${id}&x=-1&y=-1&imageScale=${SCALE / 2}`,
      `/v2/getTile/?id=${id}&x=0&y=-1&imageScale=${2 * SCALE}`,
      `/v2/getClosestImage/?sourceId=${sourceId}&date=${date}`,
      `/v2/getJP2Header/?id=${id}`,
      `/v2/getJP2Image/?id=${id}`,
      `/v2/downloadImage/?id=${id}&width=48&type=png`,
      `/v2/takeScreenshot/?${scene(image)}&display=true`,
      `/v2/getJPX/?startTime=${date}&endTime=${date}&sourceId=${sourceId}`,
      `/v2/getJPXClosestToMidPoint/?startTimes=${unixOf(date) - 9}&endTimes=${unixOf(date) + 9}&sourceId=${sourceId}&linked=true`,
    ];
  });
  return [...pictures, `/v2/events/?startTime=${images[0]?.date}&sources=RHESSI`];
}

/** Ids as the service makes them, whose secret is the first token of an operator. */
const channelIds = new ChannelIds('a-token-for-tests-only', Date.now);

const unixOf = (date: string): number => Math.floor(Date.parse(date) / 1000);

/** JPIP requests at the address of an image, without a channel and on one. The window is complete each time, because it is done. */
async function jpipPaths(address: string): Promise<string[]> {
  const window = `${address.replace(/^jpips?:\/\/[^/]+/, '')}?stream=0&fsiz=32,32,closest`;
  return [window, `${window}&cid=${await channelIds.next()}`];
}

export class Reading {
  readonly #service: FaultedService;
  readonly #images: readonly StableImage[];
  /** Digests of the right answers by path. */
  readonly #right = new Map<string, string>();
  /** Screenshots by id, and the path of the same picture. */
  readonly #screenshots = new Map<number, string>();
  /** Addresses of links by their ids. */
  readonly #links = new Map<string, string>();

  constructor(service: FaultedService, images: readonly StableImage[]) {
    this.#service = service;
    this.#images = images;
  }

  /** Learns the right answers, without faults. */
  async learn(): Promise<void> {
    const addresses = await Promise.all(this.#images.map(({ id }) => this.#service.send(`/v2/getJP2Image/?id=${id}&jpip=true`)));
    const windows = await Promise.all(addresses.map((address) => jpipPaths(textOf(address))));
    for (const path of [...stablePaths(this.#images), ...windows.flat()]) {
      const { status, body } = await this.#service.send(path);
      this.#service.expect(status === 200, `${path}: ${status}`);
      this.#right.set(path, await sha256Hex(body));
    }
  }

  async step(faults: SeededFaults): Promise<void> {
    const chance = faults.random();
    if (chance < 0.1) await this.#shorten(`?date=2024-05-10T12:00:00Z&number=${Math.floor(faults.random() * ADDRESSES)}`);
    else if (chance < 0.15 && this.#links.size > 0) await this.#follow(faults.pick([...this.#links.keys()]), [302, 503]);
    else if (chance < 0.25) await this.#take(faults.pick(this.#images));
    else if (chance < 0.35 && this.#screenshots.size > 0)
      await this.#download(faults.pick([...this.#screenshots.keys()]), [200, 503]);
    else await this.#read(faults.pick([...this.#right.keys()]));
  }

  /** Expects every screenshot and link that was accepted, without faults. */
  async expectAll(): Promise<void> {
    for (const path of this.#right.keys()) await this.#read(path, [200]);
    for (const id of this.#screenshots.keys()) await this.#download(id, [200]);
    for (const id of this.#links.keys()) await this.#follow(id, [302]);
  }

  async #read(path: string, statuses: readonly number[] = [200, 503]): Promise<void> {
    const answer = await this.#service.send(path);
    this.#service.expect(statuses.includes(answer.status), `${path}: ${answer.status}`);
    if (answer.isGood) await this.#expectSame(path, path, answer.body);
  }

  async #take(image: StableImage): Promise<void> {
    const answer = await this.#service.send(`/v2/takeScreenshot/?${scene(image)}`);
    if (!answer.isGood) return;
    const { id } = jsonOf<{ id: number }>(answer);
    this.#service.expect(!this.#screenshots.has(id), `two screenshots have the id ${id}`);
    this.#screenshots.set(id, `/v2/takeScreenshot/?${scene(image)}&display=true`);
  }

  async #download(id: number, statuses: readonly number[]): Promise<void> {
    const answer = await this.#service.send(`/v2/downloadScreenshot/?id=${id}`);
    this.#service.expect(statuses.includes(answer.status), `the screenshot ${id}: ${answer.status}`);
    if (answer.isGood) await this.#expectSame(`the screenshot ${id}`, this.#screenshots.get(id)!, answer.body);
  }

  async #shorten(address: string): Promise<void> {
    const answer = await this.#service.send(`/v2/shortenURL/?queryString=${encodeURIComponent(address)}`);
    if (!answer.isGood) return;
    const { hash } = jsonOf<{ data: { hash: string } }>(answer).data;
    this.#links.set(hash, address);
  }

  async #follow(id: string, statuses: readonly number[]): Promise<void> {
    const { status, headers } = await this.#service.send(`/v2/goto/?id=${id}`);
    this.#service.expect(statuses.includes(status), `the link ${id}: ${status}`);
    const to = headers.get('Location');
    const expected = `http://helioedge.test/${this.#links.get(id)}`;
    if (status === 302) this.#service.expect(to === expected, `the link ${id} leads to ${to}, expected ${expected}`);
  }

  async #expectSame(what: string, path: string, body: Uint8Array): Promise<void> {
    this.#service.expect((await sha256Hex(body)) === this.#right.get(path), `${what} is another answer of ${body.length} bytes`);
  }
}
