// The explorer at `/`: its static page, filled with what the address shows, so that the first picture needs no further search.
import { SERVICE_NAME } from '../../config/identity.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import { formatDateTime, formatIso } from '../../domain/time.ts';
import { type Representation, textReply } from '../../http/response.ts';
import { printAddress, printVisibleLayers } from '../../picture/address/print-address.ts';
import { NEWEST_SUN, type ViewLayer } from '../../picture/address/view.ts';
import { isFullRange } from '../../picture/operations/range.ts';
import { type InitialView, initialView } from '../../services/explorer/initial-view.ts';
import { escapeHtml } from '../../util/markup.ts';
import { imageRecord } from '../images/closest-image.ts';
import { type Context, serviceOrigin } from '../services.ts';
import { LINKS } from './descriptions.ts';

/** Comments of static pages that are replaced. */
export const PLACES = { head: '<!--head of the view-->', picture: '<!--first picture-->', data: '<!--page data-->' } as const;

/** Every visit asks whether its copy is current, because the newest image changes. */
const REVALIDATE = 'public, max-age=0, must-revalidate';

/** Pixels of the first picture: one request of about 30 kB, shown until the tiles of the screen have loaded. */
const FIRST_PICTURE_PX = 512;
/** Pixels and arcseconds of the picture of a link, in the shape that messengers and social networks show. */
const CARD = { width: 1200, height: 630, wholeSunArcsec: 2600 };

/** `</script>` inside a string would end the element, so that `<` is written as an escape. */
const jsonForScript = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');

/** The data of a page as its script reads them. */
export const dataElement = (data: unknown): string =>
  `<script type="application/json" id="page-data">${jsonForScript(data)}</script>`;

/** The view as the page reads it. */
function pageData({ view, isNewest, layers, notes, isSynthetic }: InitialView) {
  const records = layers.map(({ image, distanceSeconds }) =>
    image ? { ...imageRecord(image), takenAt: new Date(image.takenAtMs).toISOString(), distanceSeconds } : null,
  );
  const names = view.layers.map(({ sourceId }) => findSource(sourceId)?.nickname ?? '');
  return { view, isNewest, records, names, notes, isSynthetic };
}

const shownImages = ({ layers }: InitialView) => layers.flatMap(({ image }) => image ?? []);

const shownLayers = ({ view, layers }: InitialView): ViewLayer[] => view.layers.filter((_, i) => layers[i]?.image);

/** Whether the view is a whole image in all of its colours without differences, which downloadImage draws in one request. */
function isWholeImage(initial: InitialView): boolean {
  const [layer, ...others] = shownLayers(initial);
  const { centre, imageScale } = initial.view;
  if (!layer || !isFullRange(layer.range)) return false;
  return others.length === 0 && layer.difference.kind === 'none' && centre === null && imageScale === null;
}

function screenshotPath(initial: InitialView): string {
  const { atMs, centre, imageScale } = initial.view;
  const scale = imageScale ?? CARD.wholeSunArcsec / CARD.height;
  const query = new URLSearchParams({
    date: formatIso(atMs ?? 0),
    layers: printVisibleLayers(shownLayers(initial)),
    imageScale: scale.toFixed(6),
    x0: String(centre?.x ?? 0),
    y0: String(centre?.y ?? 0),
    width: String(CARD.width),
    height: String(CARD.height),
    display: 'true',
  });
  return `/v2/takeScreenshot/?${query}`;
}

const downloadPath = (id: number, width: number) => `/v2/downloadImage/?id=${id}&width=${width}&type=jpg`;

/** Path and size of the picture of a link; null for an empty archive. */
export function cardPicture(
  initial: InitialView,
): { readonly path: string; readonly width: number; readonly height: number } | null {
  const [first] = shownImages(initial);
  if (!first) return null;
  if (!isWholeImage(initial)) return { path: screenshotPath(initial), width: CARD.width, height: CARD.height };
  const width = Math.min(CARD.width, first.geometry.width);
  return {
    path: downloadPath(first.id, CARD.width),
    width,
    height: Math.round((width * first.geometry.height) / first.geometry.width),
  };
}

/** `AIA 171 · 2024-05-10 12:00:03 UTC · helioedge` */
export function titleOf(initial: InitialView): string {
  const images = shownImages(initial);
  const names = images.map((image) => imageRecord(image).name).join(', ');
  const [first] = images;
  return first ? `${names} · ${formatDateTime(first.takenAtMs)} UTC · ${SERVICE_NAME}` : `${SERVICE_NAME}: images of the Sun`;
}

/** The whole image as one small picture, which the tiles replace; null for other views. */
function firstPicturePath(initial: InitialView): string | null {
  const [image] = shownImages(initial);
  return image && isWholeImage(initial) ? downloadPath(image.id, Math.min(FIRST_PICTURE_PX, image.geometry.width)) : null;
}

/** One address for all that show the same view: the newest image of the first source, or the view in the notation of the page. */
function canonicalAddress({ view, isNewest }: InitialView, origin: string): string {
  const query = printAddress({ ...view, atMs: isNewest ? null : view.atMs });
  return query === printAddress(NEWEST_SUN) ? `${origin}/` : `${origin}/?${query}`;
}

/** Title and tags for messengers and search engines. */
function headOf(initial: InitialView, origin: string, address: string): string {
  const images = shownImages(initial);
  const names = images.map((image) => imageRecord(image).name).join(', ');
  const first = images[0];
  const title = titleOf(initial);
  const description = first
    ? `The Sun in ${names} on ${formatDateTime(first.takenAtMs)} UTC${initial.isSynthetic ? ' (synthetic sample data)' : ''}.`
    : 'Images of the Sun.';
  const picture = cardPicture(initial)?.path;
  const oembed = `${origin}/oembed?${new URLSearchParams({ url: address, format: 'json' })}`;
  const metas: [string, string][] = [
    ['og:title', title],
    ['og:description', description],
    ['og:type', 'website'],
    ['og:url', address],
    ...(picture ? [['og:image', origin + picture] as [string, string]] : []),
  ];
  const path = firstPicturePath(initial);
  return [
    // First, because browsers have few connections for all that follows.
    ...(path ? [`<link rel="preload" as="image" href="${escapeHtml(path)}" fetchpriority="high">`] : []),
    `<title>${escapeHtml(title)}</title>`,
    `<meta name="description" content="${escapeHtml(description)}">`,
    '<meta name="twitter:card" content="summary_large_image">',
    ...metas.map(([name, content]) => `<meta property="${name}" content="${escapeHtml(content)}">`),
    `<link rel="canonical" href="${escapeHtml(canonicalAddress(initial, origin))}">`,
    `<link rel="alternate" type="application/json+oembed" href="${escapeHtml(oembed)}" title="${escapeHtml(title)}">`,
  ].join('\n    ');
}

function firstPicture(initial: InitialView): string {
  const path = firstPicturePath(initial);
  return path === null ? '' : `<img id="first" src="${escapeHtml(path)}" alt="" fetchpriority="high" decoding="sync">`;
}

/** The static page with the view of the request's address. */
export async function explorerPage(template: string, headers: Headers, context: Context): Promise<Representation> {
  const { services, stopwatch, url } = context;
  const initial = await initialView({ ...services, stopwatch }, url.searchParams);
  const origin = serviceOrigin(context);
  const text = template
    .replace(PLACES.head, () => headOf(initial, origin, origin + url.pathname + url.search))
    .replace(PLACES.picture, () => firstPicture(initial))
    .replace(PLACES.data, () => dataElement(pageData(initial)));
  const policy = headers.get('Content-Security-Policy');
  return textReply('text/html; charset=utf-8', text, {
    policy: REVALIDATE,
    headers: policy === null ? LINKS : { ...LINKS, 'Content-Security-Policy': policy },
  });
}
