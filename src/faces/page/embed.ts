// The embedded picture at `/embed`, and its description at `/oembed` (oEmbed 1.0).
import { imageTags } from '../../archive/keys.ts';
import { printPlay, readPlay } from '../../picture/address/view.ts';
import { CATALOGUE } from '../../platform/http/cache-policy.ts';
import type { Keyed } from '../../platform/http/request.ts';
import { jsonReply, type Representation } from '../../platform/http/response.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { escapeHtml } from '../../platform/util/markup.ts';
import { type Context, namingHost, serviceOrigin } from '../services.ts';
import { initialView } from './initial-view.ts';
import { cacheableView, cardPicture, EXPLORER_PATHS, explorerPage, shownImages, titleOf } from './page.ts';

export async function embeddedPage(context: Context): Promise<Representation> {
  const page = await explorerPage('/embed', context);
  if (!page) throw new Failure('unknown-path', 'No pages are installed on this server.');
  return page;
}

const SIZE = { width: 640, height: 480, least: 120 };

/** A maximum side of the request, or the usual one. */
function side(value: string | null, usual: number): number {
  const most = Number(value);
  return Number.isInteger(most) && most >= SIZE.least ? Math.min(most, usual) : usual;
}

/** Parts of a request: the address in it, if it has one of a page of the explorer, the size and the format. */
function asked({ searchParams }: URL) {
  const [given, format] = [searchParams.get('url'), searchParams.get('format') ?? 'json'];
  const address = given !== null && URL.canParse(given) ? new URL(given) : null;
  const path = EXPLORER_PATHS.find((known) => known === address?.pathname);
  const width = side(searchParams.get('maxwidth'), SIZE.width);
  const height = side(searchParams.get('maxheight'), SIZE.height);
  return { given, format, page: address && path ? { address, path } : null, width, height };
}

/** A response in the edge cache, by its view and its size; null for one that is not valid or has something to note. */
export function cacheableOembed(url: URL): Keyed | null {
  const { format, page, width, height } = asked(url);
  const view = page && format === 'json' ? cacheableView(page.path, page.address) : null;
  if (!view) return null;
  const size = { maxwidth: String(width), maxheight: String(height) };
  const played = readPlay(page!.address.searchParams.get('play'));
  const address = page!.address.origin + view.key + (played ? `&play=${printPlay(played)}` : '');
  const query = new URLSearchParams({ url: address, ...size });
  return { key: `/oembed?${query}`, query, notices: [] };
}

/** The oEmbed response for an address of the explorer. @throws Failure `bad-parameter` for another address; `unsupported` for another format */
export async function oembed(context: Context): Promise<Representation> {
  const { services, stopwatch, url } = context;
  const origin = serviceOrigin(context);
  const { given, format, page, width, height } = asked(url);
  if (!page || ![origin, url.origin].includes(page.address.origin)) {
    throw badParameter('url', `an address of the explorer, such as ${origin}/,`, given);
  }
  if (format !== 'json') throw new Failure('unsupported', 'Only the format json is supported.', { parameter: 'format' });
  const { address } = page;
  const initial = await initialView({ ...services, stopwatch }, address.searchParams);
  const source = escapeHtml(`${origin}/embed${address.search}`);
  const title = titleOf(initial);
  const picture = cardPicture(initial);
  return jsonReply(
    {
      version: '1.0',
      type: 'rich',
      provider_name: SERVICE_NAME,
      provider_url: `${origin}/`,
      title,
      width,
      height,
      html: `<iframe src="${source}" width="${width}" height="${height}" title="${escapeHtml(title)}" allowfullscreen></iframe>`,
      ...(picture
        ? { thumbnail_url: origin + picture.path, thumbnail_width: picture.width, thumbnail_height: picture.height }
        : {}),
    },
    { policy: namingHost(CATALOGUE, context), tags: [...new Set(shownImages(initial).flatMap(imageTags))] },
  );
}
