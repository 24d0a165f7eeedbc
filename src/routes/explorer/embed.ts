// The embedded picture at `/embed`, and its description at `/oembed` (oEmbed 1.0).
import { SERVICE_NAME } from '../../config/identity.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import { CATALOGUE } from '../../http/cache-policy.ts';
import { jsonReply, type Representation } from '../../http/response.ts';
import { initialView } from '../../services/explorer/initial-view.ts';
import { escapeHtml } from '../../util/markup.ts';
import { type Context, serviceOrigin } from '../services.ts';
import { cardPicture, explorerPage, titleOf } from './page.ts';

/** Every site may frame the picture, which has no form and no action for its user. */
export async function embeddedPage(context: Context): Promise<Representation> {
  const page = await context.services.assets.fetch(new Request(new URL('/embed', context.url)));
  if (!page.ok) throw new Failure('unknown-path', 'No pages are installed on this server.');
  const policy = page.headers.get('Content-Security-Policy')?.replace(/frame-ancestors [^;]*/, 'frame-ancestors *');
  return explorerPage(await page.text(), new Headers(policy ? { 'Content-Security-Policy': policy } : {}), context);
}

const SIZE = { width: 640, height: 480, least: 120 };

/** A maximum side of the request, or the usual one. */
function side(value: string | null, usual: number): number {
  const most = Number(value);
  return Number.isInteger(most) && most >= SIZE.least ? Math.min(most, usual) : usual;
}

/**
 * The oEmbed response for an address of the explorer.
 * @throws Failure `bad-parameter` for an address elsewhere; `unsupported` for another format than JSON
 */
export async function oembed(context: Context): Promise<Representation> {
  const { services, stopwatch, url } = context;
  const given = url.searchParams.get('url');
  const origin = serviceOrigin(context);
  const address = given !== null && URL.canParse(given) ? new URL(given) : null;
  const isHere = address !== null && [origin, url.origin].includes(address.origin) && ['/', '/embed'].includes(address.pathname);
  if (!isHere) throw badParameter('url', `an address of the explorer, such as ${origin}/,`, given);
  if ((url.searchParams.get('format') ?? 'json') !== 'json') {
    throw new Failure('unsupported', 'Only the format json is supported.', { parameter: 'format' });
  }
  const initial = await initialView({ ...services, stopwatch }, address.searchParams);
  const [width, height] = [
    side(url.searchParams.get('maxwidth'), SIZE.width),
    side(url.searchParams.get('maxheight'), SIZE.height),
  ];
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
    { policy: CATALOGUE },
  );
}
