// The explorer at `/`: its static page, filled with what the address shows, so that the first picture needs no further search.

import { nearer } from '../../archive/find-image.ts';
import { jp2Header } from '../../archive/jp2-header.ts';
import { imageTags } from '../../archive/keys.ts';
import { addressOfClientState, type ReadView, readAddress } from '../../picture/address/read-address.ts';
import { drawnLayers, NEWEST_SUN, type Note, printAddress, printPlay, readPlay, type View } from '../../picture/address/view.ts';
import { type Layer, plainLayer } from '../../picture/layers.ts';
import { isPlain } from '../../picture/operations/operations.ts';
import type { Keyed } from '../../platform/http/request.ts';
import type { Representation } from '../../platform/http/response.ts';
import { CATALOGUE, EDGE_CACHE_CONTROL, jsonReply, NO_STORE, textReply } from '../../platform/http/response.ts';
import { LIFETIMES } from '../../platform/limits/http.ts';
import { LOSSY_WEBP } from '../../platform/limits/rendering.ts';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { escapeHtml } from '../../platform/util/markup.ts';
import { STATE_KEY } from '../../sharing/client-states.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { type ArchivedImage, isSynthetic, SAMPLE_TIME_MS } from '../../sun/image.ts';
import { formatDateTime, formatIso, isoDay } from '../../sun/time.ts';
import { imageRecord } from '../images/closest-image.ts';
import { type Context, isDeployed, namingHost, type Services, serviceOrigin } from '../services.ts';
import { LINKS } from './descriptions.ts';

type Ports = Pick<Services, 'index' | 'objects' | 'clock' | 'clientStates'> & Pick<Context, 'stopwatch'>;

interface InitialView {
  /** With the time of the newest image where the address has none. */
  readonly view: View;
  readonly isNewest: boolean;
  /** What each layer of the view shows, at least one an image; empty for an empty archive. */
  readonly layers: readonly InitialLayer[];
  readonly notes: readonly Note[];
  /** Whether the header of a shown image, of any layer, says that its picture is synthetic. */
  readonly isSynthetic: boolean;
}

async function sharedView({ clientStates }: Ports, key: string): Promise<ReadView> {
  const text = await clientStates.find(key);
  if (!text) return { view: NEWEST_SUN, notes: [{ kind: 'unknown-view', given: key.slice(0, 12) }] };
  return readAddress(addressOfClientState(JSON.parse(text) as object));
}

const namesOf = (layers: readonly Pick<Layer, 'sourceId'>[]): string =>
  [...new Set(layers.map(({ sourceId }) => findSource(sourceId)?.nickname ?? ''))].join(', ');

/** The view with its lowest layer visible when all are hidden. */
function withVisibleLayer({ view, notes }: ReadView): ReadView {
  const [lowest, ...others] = view.layers;
  if (!lowest || view.layers.some(({ isVisible }) => isVisible)) return { view, notes };
  return {
    view: { ...view, layers: [{ ...lowest, isVisible: true }, ...others] },
    notes: [...notes, { kind: 'all-hidden', instead: namesOf([lowest]) }],
  };
}

async function newestTime({ index, clock }: Ports, layers: readonly Layer[]): Promise<number | null> {
  const visible = layers.filter(({ isVisible }) => isVisible);
  const ends = await Promise.all(visible.map(({ sourceId }) => index.ends(sourceId, 0, clock())));
  return ends.find(({ last }) => last)?.last?.takenAtMs ?? null;
}

/** The image of a layer, null for a hidden one and for a source without images, and its time minus that of the view. */
async function imageOf({ index }: Ports, { sourceId, isVisible }: Layer, atMs: number) {
  if (!isVisible) return { image: null, distanceSeconds: 0 };
  const { before, after } = await index.neighbours(sourceId, atMs);
  const image = nearer(before, after, atMs);
  return { image, distanceSeconds: image ? Math.round(image.takenAtMs - atMs) / 1000 : 0 };
}

type InitialLayer = Awaited<ReturnType<typeof imageOf>>;

/** The images of a view at its time; null when no visible layer has any. */
async function imagesOf(ports: Ports, view: View): Promise<Pick<InitialView, 'view' | 'isNewest' | 'layers'> | null> {
  const atMs = view.atMs ?? (await newestTime(ports, view.layers));
  if (atMs === null) return null;
  const layers = await Promise.all(view.layers.map((layer) => imageOf(ports, layer, atMs)));
  return layers.some(({ image }) => image) ? { view: { ...view, atMs }, isNewest: view.atMs === null, layers } : null;
}

/** Substitute for layers without images: AIA 171, else the first source with images; null for an empty archive. */
async function substituteFor({ index }: Ports): Promise<readonly Layer[] | null> {
  const ids = [...(await index.extents()).keys()].sort((a, b) => a - b);
  const [usual] = NEWEST_SUN.layers.filter(({ sourceId }) => ids.includes(sourceId));
  if (usual) return [usual];
  return ids[0] === undefined ? null : [plainLayer(ids[0])];
}

/** Whether an image is synthetic; false for a header that cannot be read, because the page asks again. */
async function statesSynthetic(ports: Ports, layers: readonly InitialLayer[]): Promise<boolean> {
  const images = layers.flatMap(({ image }) => image ?? []);
  const states = async (image: ArchivedImage) => isSynthetic((await jp2Header(ports, image)).fits);
  return (await Promise.all(images.map((image) => states(image).catch(() => false)))).includes(true);
}

type Found = Omit<InitialView, 'isSynthetic'>;

async function shownOf(ports: Ports, { view, notes }: ReadView): Promise<Found> {
  const found = await imagesOf(ports, view);
  if (found) return { ...found, notes };
  const layers = await substituteFor(ports);
  const instead = layers && (await imagesOf(ports, { ...view, layers }));
  if (!instead) return { view, isNewest: view.atMs === null, layers: [], notes };
  const note: Note = {
    kind: 'no-images',
    given: namesOf(view.layers.filter(({ isVisible }) => isVisible)),
    instead: namesOf(layers),
  };
  return { ...instead, notes: [...notes, note] };
}

/** The rich day of the sample archive in place of its newest images, which are few; null where the archive does not have it. */
async function richDay(ports: Ports, { view, isNewest, notes }: Found): Promise<Found | null> {
  if (!isNewest || (view.atMs ?? 0) < SAMPLE_TIME_MS + DAY_MS) return null;
  const found = await imagesOf(ports, { ...view, atMs: SAMPLE_TIME_MS });
  const isThere = found?.layers.some(({ image, distanceSeconds }) => image && Math.abs(distanceSeconds) * 1000 < HOUR_MS);
  return isThere ? { ...found!, notes: [...notes, { kind: 'sample', given: isoDay(SAMPLE_TIME_MS) }] } : null;
}

async function initialView(ports: Ports, query: URLSearchParams): Promise<InitialView> {
  const key = query.get('loadState');
  const read = withVisibleLayer(key === null ? readAddress(query) : await sharedView(ports, key));
  const initial = await ports.stopwatch.measure('index', () => shownOf(ports, read));
  const states = await statesSynthetic(ports, initial.layers);
  return { ...((states && (await richDay(ports, initial))) || initial), isSynthetic: states };
}

/** Comments of static pages that are replaced. */
export const PLACES = { head: '<!--head of the view-->', picture: '<!--first picture-->', data: '<!--page data-->' } as const;

/** Every visit asks whether its copy is current, because the newest image changes. */
const REVALIDATE = 'public, max-age=0, must-revalidate';
/** The edge cache keeps a view as long as the newest image, and while the databases are away. */
const AT_EDGE = `${CATALOGUE}, stale-if-error=${LIFETIMES.settled}`;
const RETRY_SECONDS = '60';

/** The first picture: one request of about 15 kB, less than half of that of a JPEG, shown until the tiles of the screen have loaded. */
const FIRST_PICTURE = { width: 512, file: `type=webp&quality=${LOSSY_WEBP.storedQuality}` } as const;
/** Pixels and arcseconds of the picture of a link, in the shape that messengers and social networks show. */
const CARD = { width: 1200, height: 630, wholeSunArcsec: 2600 };

/** `</script>` inside a string would end the element, so that `<` is written as an escape. */
function withData(page: string, data: unknown): string {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return page.replace(PLACES.data, () => `<script type="application/json" id="page-data">${json}</script>`);
}

/** A static page with what its comments stand for. */
export const filled = (page: string, { head, picture, data }: { head: string; picture: string; data: unknown }): string =>
  withData(
    page.replace(PLACES.head, () => head).replace(PLACES.picture, () => picture),
    data,
  );

function pageData({ view, isNewest, layers, notes, isSynthetic }: InitialView) {
  const records = layers.map(({ image, distanceSeconds }) =>
    image ? { ...imageRecord(image), takenAt: new Date(image.takenAtMs).toISOString(), distanceSeconds } : null,
  );
  const names = view.layers.map(({ sourceId }) => findSource(sourceId)?.nickname ?? '');
  const lateHours = view.layers.map(({ sourceId }) => findSource(sourceId)?.statusHours[0] ?? null);
  return { view, isNewest, records, names, lateHours, notes, isSynthetic };
}

const shownImages = ({ layers }: InitialView) => layers.flatMap(({ image }) => image ?? []);

const shownLayers = ({ view, layers }: InitialView): Layer[] => view.layers.filter((_, i) => layers[i]?.image);

/** Whether the view is a whole image, which downloadImage draws in one request. */
function isWholeImage(initial: InitialView): boolean {
  const [layer, ...others] = shownLayers(initial);
  const { centre, imageScale } = initial.view;
  return layer !== undefined && isPlain(layer) && others.length === 0 && centre === null && imageScale === null;
}

function screenshotPath(initial: InitialView): string {
  const { atMs, centre, imageScale } = initial.view;
  const scale = imageScale ?? CARD.wholeSunArcsec / CARD.height;
  const query = new URLSearchParams({
    date: formatIso(atMs ?? 0),
    ...drawnLayers(shownLayers(initial)),
    imageScale: scale.toFixed(6),
    x0: String(centre?.x ?? 0),
    y0: String(centre?.y ?? 0),
    width: String(CARD.width),
    height: String(CARD.height),
    display: 'true',
  });
  return `/v2/takeScreenshot/?${query}`;
}

const downloadPath = (id: number, width: number, file = 'type=jpg') => `/v2/downloadImage/?id=${id}&width=${width}&${file}`;

/** Path and size of the picture of a link; null for an empty archive. */
function cardPicture(initial: InitialView): { readonly path: string; readonly width: number; readonly height: number } | null {
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
function titleOf(initial: InitialView): string {
  const images = shownImages(initial);
  const [first] = images;
  if (!first) return `${SERVICE_NAME}: images of the Sun`;
  return `${namesOf(images)} · ${formatDateTime(first.takenAtMs)} UTC · ${SERVICE_NAME}`;
}

/** The whole image as one small picture, which the tiles replace; null for other views. */
function firstPicturePath(initial: InitialView): string | null {
  const [image] = shownImages(initial);
  if (!image || !isWholeImage(initial)) return null;
  return downloadPath(image.id, Math.min(FIRST_PICTURE.width, image.geometry.width), FIRST_PICTURE.file);
}

/** One address for all that show the same view: the newest image of the first source, or the view in the notation of the page. */
function canonicalAddress({ view, isNewest }: InitialView, origin: string): string {
  const query = printAddress({ ...view, atMs: isNewest ? null : view.atMs });
  return query === printAddress(NEWEST_SUN) ? `${origin}/` : `${origin}/?${query}`;
}

interface HeadFacts {
  readonly title: string;
  readonly description: string;
  /** In the words of the Open Graph protocol. */
  readonly type: 'website' | 'video.other';
  readonly address: string;
  /** Address of a picture; absent without one. */
  readonly image?: string | undefined;
}

/** Title and tags for messengers and search engines. @param shownTitle What browsers show */
export function headTags({ address, image, ...facts }: HeadFacts, shownTitle = facts.title): string[] {
  const metas = Object.entries({ ...facts, url: address, ...(image ? { image } : {}) });
  return [
    `<title>${escapeHtml(shownTitle)}</title>`,
    `<meta name="description" content="${escapeHtml(facts.description)}">`,
    ...metas.map(([name, content]) => `<meta property="og:${name}" content="${escapeHtml(content)}">`),
    `<link rel="canonical" href="${escapeHtml(address)}">`,
  ];
}

function headOf(initial: InitialView, origin: string): string {
  const images = shownImages(initial);
  const [first] = images;
  const title = titleOf(initial);
  const description = first
    ? `The Sun in ${namesOf(images)} on ${formatDateTime(first.takenAtMs)} UTC${initial.isSynthetic ? ' (synthetic sample data)' : ''}.`
    : 'Images of the Sun.';
  const picture = cardPicture(initial)?.path;
  const address = canonicalAddress(initial, origin);
  const oembed = `${origin}/oembed?${new URLSearchParams({ url: address, format: 'json' })}`;
  const path = firstPicturePath(initial);
  return [
    // First, because browsers have few connections for all that follows.
    ...(path ? [`<link rel="preload" as="image" href="${escapeHtml(path)}" fetchpriority="high">`] : []),
    ...headTags({ title, description, type: 'website', address, image: picture && origin + picture }),
    '<meta name="twitter:card" content="summary_large_image">',
    `<link rel="alternate" type="application/json+oembed" href="${escapeHtml(oembed)}" title="${escapeHtml(title)}">`,
  ].join('\n    ');
}

/** Paths of the pages: the explorer, and its embedded picture, which every site may frame, because it has no form and no action for its user. */
export const EXPLORER_PATHS = ['/', '/embed'] as const;
type ExplorerPath = (typeof EXPLORER_PATHS)[number];

/** A view in the edge cache, one for all spellings. Null for an address with something to note, or of a view that cannot exist. */
export function cacheableView(path: string, { searchParams }: URL): Keyed | null {
  const key = searchParams.get('loadState');
  const { view, notes } = readAddress(searchParams);
  if (key === null ? notes.length > 0 : !STATE_KEY.test(key)) return null;
  const query = key === null ? printAddress(view) : `loadState=${key}`;
  return { key: `${path}?${query}`, query: new URLSearchParams(query), notices: [] };
}

/** A static page and its policy, which lets every site frame all but the explorer; null where no pages are installed. */
export async function staticPage(path: ExplorerPath | '/movie', { services, url }: Context) {
  const page = await services.assets.fetch(new Request(new URL(path, url)));
  if (!page.ok) {
    await page.body?.cancel().catch(() => undefined);
    return null;
  }
  const given = page.headers.get('Content-Security-Policy');
  const policy = path === '/' ? given : given?.replace(/frame-ancestors [^;]*/, 'frame-ancestors *');
  const headers: Readonly<Record<string, string>> = policy ? { 'Content-Security-Policy': policy } : {};
  return { text: await page.text(), headers };
}

const PAGE_TYPE = 'text/html; charset=utf-8';

/** A page with the view of the request's address; null where no pages are installed. */
export async function explorerPage(path: ExplorerPath, context: Context): Promise<Representation | null> {
  const { services, stopwatch, url } = context;
  const page = await staticPage(path, context);
  if (!page) return null;
  const initial = await initialView({ ...services, stopwatch }, url.searchParams);
  const origin = serviceOrigin(context);
  const first = firstPicturePath(initial);
  const picture = first ? `<img id="first" src="${escapeHtml(first)}" alt="" fetchpriority="high" decoding="sync">` : '';
  const parts = { head: headOf(initial, origin), picture, data: pageData(initial) };
  const tags = shownImages(initial).flatMap(imageTags);
  const headers = { ...LINKS, ...page.headers, ...(isDeployed(services) ? { [EDGE_CACHE_CONTROL]: AT_EDGE } : {}) };
  return textReply(PAGE_TYPE, filled(page.text, parts), { policy: namingHost(REVALIDATE, context), headers, tags });
}

/** A page that says that its view cannot be looked up at the moment; null where no pages are installed. */
export async function explorerWithoutView(path: ExplorerPath, context: Context): Promise<Representation | null> {
  const page = await staticPage(path, context);
  if (!page) return null;
  const headers = { ...LINKS, ...page.headers, 'Retry-After': RETRY_SECONDS };
  return textReply(PAGE_TYPE, withData(page.text, { isAway: true }), { policy: NO_STORE, headers, status: 503 });
}

/** @throws Failure `unknown-path` where no pages are installed */
export function installed<Page>(page: Page | null): Page {
  if (page) return page;
  throw new Failure('unknown-path', 'No pages are installed on this server.');
}

export const embeddedPage = async (context: Context): Promise<Representation> => installed(await explorerPage('/embed', context));

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
    { policy: namingHost(CATALOGUE, context), tags: shownImages(initial).flatMap(imageTags) },
  );
}
