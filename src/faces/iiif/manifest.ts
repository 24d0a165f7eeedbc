// A day of a datasource as a manifest of the IIIF Presentation API 3.0 (https://iiif.io/api/presentation/3.0/).
import { imagesAt } from '../../archive/find-image.ts';
import { imageTags } from '../../archive/keys.ts';
import type { ImageIndex } from '../../archive/ports.ts';
import { sizeOf } from '../../picture/image-part.ts';
import { date } from '../../platform/http/parameters.ts';
import { MEDIA_TYPES, RECENT, textReply } from '../../platform/http/response.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { Failure } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { dayStart, formatDateTime, formatIso, isoDay } from '../../sun/time.ts';
import { singleSource, sourceId } from '../images/source-parameters.ts';
import { namingHost, resource, serviceOrigin } from '../services.ts';
import { imageService } from './image.ts';

export const IIIF = {
  /** Canvases of a manifest, 0.25 MB. A day with more images has the nearest ones to as many times, a quarter of an hour apart. */
  canvases: 96,
} as const;

const CONTEXT = 'http://iiif.io/api/presentation/3/context.json';
const MANIFEST_TYPE = `application/ld+json;profile="${CONTEXT}"`;

/** Pixels of the longer side of a thumbnail. */
const PREVIEW = 200;

const english = (text: string) => ({ en: [text] });

/** The images of a day; of many, those nearest to times at equal distances. */
async function imagesOfDay(index: ImageIndex, source: number, startMs: number): Promise<ArchivedImage[]> {
  const endMs = startMs + DAY_MS - 0.001;
  const all = await index.inRange(source, startMs, endMs, IIIF.canvases + 1);
  if (all.length <= IIIF.canvases) return all;
  const times = Array.from({ length: IIIF.canvases }, (_, i) => startMs + ((i + 0.5) * DAY_MS) / IIIF.canvases);
  const nearest = (await imagesAt(index, source, times)).flatMap((image) => image ?? []);
  const ofDay = nearest.filter(({ takenAtMs }) => takenAtMs >= startMs && takenAtMs <= endMs);
  return [...new Map(ofDay.map((image) => [image.id, image])).values()];
}

function canvasOf(image: ArchivedImage, manifest: string, origin: string): object {
  const { id, takenAtMs, geometry } = image;
  const service = { id: imageService(id, origin), type: 'ImageService3', profile: 'level2' };
  const pictureOf = (size: string, shown: { readonly width: number; readonly height: number }) => ({
    id: `${service.id}/full/${size}/0/default.jpg`,
    type: 'Image',
    format: MEDIA_TYPES.jpg,
    width: shown.width,
    height: shown.height,
    service: [service],
  });
  const canvas = `${manifest}/canvas/${id}`;
  const preview = sizeOf({ mayGrow: false, kind: 'within', width: PREVIEW, height: PREVIEW }, geometry);
  const painting = {
    id: `${canvas}/image`,
    type: 'Annotation',
    motivation: 'painting',
    target: canvas,
    body: pictureOf('max', sizeOf({ mayGrow: false, kind: 'max' }, geometry)),
  };
  return {
    id: canvas,
    type: 'Canvas',
    label: english(`${formatDateTime(takenAtMs)} UTC`),
    navDate: formatIso(takenAtMs),
    width: geometry.width,
    height: geometry.height,
    thumbnail: [pictureOf(`${preview.width},${preview.height}`, preview)],
    seeAlso: [{ id: `${origin}/v2/getJP2Header/?id=${id}`, type: 'Dataset', format: 'text/xml', label: english('FITS header') }],
    items: [{ id: `${canvas}/page`, type: 'AnnotationPage', items: [painting] }],
  };
}

export const dayManifest = resource({
  name: 'iiif/manifest',
  path: /^\/iiif\/manifests\/(?<sourceId>[^/]+)\/(?<date>[^/]+)\.json$/,
  parameters: { sourceId: sourceId(), date: date('A UTC day.') },
  canonical: ({ sourceId: id, date: atMs }) => {
    const source = singleSource(id);
    return { sourceId: source, startMs: dayStart(atMs) };
  },
  key: (canonical) => canonical,
  handle: async ({ sourceId: source, startMs }, context) => {
    const { services, stopwatch } = context;
    const images = await stopwatch.measure('index', () => imagesOfDay(services.index, source, startMs));
    const day = isoDay(startMs);
    const name = findSource(source)?.nickname ?? `source ${source}`;
    if (images.length === 0) throw new Failure('no-image', `There is no image of ${name} of ${day}.`, { parameter: 'date' });
    const origin = serviceOrigin(context);
    const id = `${origin}/iiif/manifests/${source}/${day}.json`;
    const manifest = {
      '@context': CONTEXT,
      id,
      type: 'Manifest',
      label: english(`${name}, ${day}`),
      behavior: ['individuals'],
      items: images.map((image) => canvasOf(image, id.replace(/\.json$/, ''), origin)),
    };
    const tags = [...new Set(images.flatMap(imageTags))];
    return textReply(MANIFEST_TYPE, JSON.stringify(manifest), { policy: namingHost(RECENT, context), tags });
  },
});
