// Addresses of an image in lists, feeds and notifications.
import { NEWEST_SUN, printAddress } from '../picture/address/view.ts';
import { plainLayer } from '../picture/layers.ts';
import { archivePath } from './keys.ts';
import type { ListedImage } from './ports.ts';

/** Pixels of the preview: a thumbnail in a list. */
const PREVIEW_WIDTH = 256;

export const listedAddresses = ({ id, key }: Pick<ListedImage, 'id' | 'key'>, origin: string) => ({
  jp2: `${origin}/jp2/${archivePath(key)}`,
  header: `${origin}/v2/getJP2Header/?id=${id}`,
  preview: `${origin}/v2/downloadImage/?id=${id}&width=${PREVIEW_WIDTH}&type=jpg`,
});

/** Address of the explorer with an image, or with the newest one of its source. Its brackets are encoded, which readers of feeds require. */
export const viewAddress = (origin: string, sourceId: number, atMs: number | null): string =>
  explorerAddress(origin, { atMs, layers: [plainLayer(sourceId)] });

/** Address of the explorer at a time, with the layers that it begins with. */
export const timeAddress = (origin: string, atMs: number | null): string => explorerAddress(origin, { atMs });

const explorerAddress = (origin: string, view: Partial<typeof NEWEST_SUN>): string =>
  `${origin}/?${printAddress({ ...NEWEST_SUN, ...view }).replace(/[[\]]/g, encodeURIComponent)}`;
