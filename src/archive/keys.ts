// The grammar of the object keys. Keys are made here only, and never from the text of a request.
//
//   jp2/<folder>/<file name>                          an archived image, in the layout of the original archive
//   jp2/<folder>/v<n>-<content>/<file name>           a later version of a file that has been replaced or withdrawn
//   idx/<version>/<folder>/<file name>.idx            its sidecar, as written by that version of the format
//   facts/<version>/<id>.json                         the record of an image: its row in the index, by its id
//   facts/<version>/of/<content>/<id>                 an empty object for each record, by which those of a content are found
//   ids/of/<folder>/<first>~<last>~<id>.json         ids of images of a folder, by the names of their files, from the first name to the last
//   ids/last/<sequence>                               a number up to which the ids of a sequence have been issued
//   derived/v<render>/image/<content>/<width>.<ext>   a whole image at a width in pixels, as that renderer drew it; <ext> of WebP has its version
//   derived/coefficients/<part>/v<version>/<content>  part a, b or c of a coefficient sidecar, as written by that version of the format
//   derived/laws/v<version>/<content>.json            the law of an image or why it has none, by that version of the rules
//   derived/annuli/v<version>/<content>               the statistics of the annuli of an image, in that version of the format
//   derived/grids/images/v<version>/<source>/<yyyy>/<mm>/<dd>/<ms>-<content>  the grid of an image, taken so many ms after midnight
//   derived/grids/days/v<version>/<source>/<yyyy>/<mm>/<dd>  the grids of a day of a source
//   derived/grids/levels/(images|days)/...            the same of levels, for images without a law
//   derived/screenshots/v<render>/<content>.png       a screenshot; its content is the recipe and the images of its layers
//   derived/maps/v<version>/<content>.<ext>           a map of the whole Sun; its content is the request and the images
//   derived/movies/<plan>-<generation>/<file name>    a file of a movie, or an encoded segment of an unfinished one
//   derived/plans/<key>.json.gz                       the frames of a movie: times and ids of their images
//   jpx/<name>.json                                   the frames of the JPX file of this name
//   derived/jpx-metadata/<name>.xml                   the XML of all frames of a linked JPX file, one after another
//   events/<version>/<feed>/<yyyy>/<mm>/<dd>.json.gz  the last complete records of an event feed for a day
//   quarantine/<folder>/<file name>                   a damaged file that was an image, and its reason in <file name>.json
//   reconciliation.json                               the place and the counts of the comparison of objects and rows
//   sample-progress.json                              the progress of a sample archive under way
//   ephemeris/<version>/<spacecraft>.f64              the imported table of states of a spacecraft
//   news/<source>.json                                the last published news of a blog
//   states/<sha-256>.json                             a shared view of the web client, by the hash of its canonical JSON
//
// <folder> is `<nickname>/<yyyy>/<mm>/<dd>/<leaf>`. Everything under idx/ and derived/ can be rebuilt from jp2/.
// <content> is a prefix of a SHA-256: a picture is named by what it is made of, because an id means another image after the
// database has been lost or restored. <plan> is one of the recipe and the images of a movie.
import { DAY_MS, HOUR_MS } from '../platform/util/durations.ts';
import type { ArchivedImage } from '../sun/image.ts';
import { dayParts } from '../sun/time.ts';

const JP2_PREFIX = 'jp2/';

export const SAMPLE_PROGRESS_KEY = 'sample-progress.json';

export const RECONCILIATION_KEY = 'reconciliation.json';

/**
 * Days after which the objects below a prefix expire in a deployment, because they are made again on request. Every key that a request can
 * cause to be written is here, except shared views, which the sweep deletes, and laws, annuli and grids, which go with their images.
 */
export const EXPIRY_DAYS = {
  /** Whole images. */
  'derived/v': 90,
  /** Part a is a quarter of an image and made at ingest; the others are made when the image is viewed closely. */
  'derived/coefficients/a/': 365,
  'derived/coefficients/b/': 90,
  'derived/coefficients/c/': 90,
  'derived/movies/': 90,
  'derived/maps/': 90,
  'derived/screenshots/': 180,
  'derived/plans/': 365,
  'jpx/': 365,
  /** Read again from the images afterwards. */
  'derived/jpx-metadata/': 30,
  'events/': 400,
  /** Time to look at a damaged file, and to get it again from where it came. */
  'quarantine/': 365,
} as const satisfies Readonly<Record<string, number>>;

/** A key that expires by the rule of its prefix. */
const expiring = (prefix: keyof typeof EXPIRY_DAYS, rest: string): string => prefix + rest;

export const jp2Key = (folder: string, fileName: string): string => `${JP2_PREFIX}${folder}/${fileName}`;

const VERSION_FOLDER = /\/v([0-9]+)-[0-9a-f]{8}$/;
/** Hexadecimal digits of the hash in the folder of a version, by which uploads at the same time have different keys. */
const VERSION_DIGITS = 8;

/** Folder of a version of a file, from 1. The first one has the folder of the original archive. */
export const versionFolder = (folder: string, version: number, { sha256 }: Content): string =>
  version === 1 ? folder : `${folder}/v${version}-${sha256.slice(0, VERSION_DIGITS)}`;

/** Version of the file at a key of `versionFolder`. */
export const versionOf = (imageKey: string): number => Number(VERSION_FOLDER.exec(folderOf(imageKey))?.[1] ?? 1);

/** Path of an archived file in the layout of the archive: its key without `jp2/`. */
export const archivePath = (imageKey: string): string => imageKey.slice(JP2_PREFIX.length);

export const folderOf = (imageKey: string): string => imageKey.slice(JP2_PREFIX.length, imageKey.lastIndexOf('/'));

export const sidecarKey = (imageKey: string, version: number): string => `idx/${version}/${archivePath(imageKey)}.idx`;

export const SIDECAR_PREFIX = 'idx/';

const SIDECAR_PARTS = /^idx\/([0-9]+)\/(.+)\.idx$/;

/** The key of the image and the version of the format in the key of a sidecar; null for another key. */
export function sidecarOf(key: string): { readonly imageKey: string; readonly version: number } | null {
  const [, version, path] = SIDECAR_PARTS.exec(key) ?? [];
  return version === undefined || path === undefined ? null : { imageKey: JP2_PREFIX + path, version: Number(version) };
}

export const quarantineKey = (imageKey: string): string => expiring('quarantine/', archivePath(imageKey));

export const quarantineNoteKey = (imageKey: string): string => `${quarantineKey(imageKey)}.json`;

export const RECORD_PREFIX = 'facts/';

export const imageRecordKey = (version: number, id: number): string => `${RECORD_PREFIX}${version}/${id}.json`;

export const recordMarkPrefix = (version: number, content: Content): string =>
  `${RECORD_PREFIX}${version}/of/${contentName(content)}/`;

/** Key of the mark of a record, which has its id below its content. */
export const recordMarkKey = (version: number, { id, ...content }: Content & Pick<ArchivedImage, 'id'>): string =>
  recordMarkPrefix(version, content) + id;

const RECORD_PARTS = /^facts\/([0-9]+)\/(?:([0-9]+)\.json|of\/[0-9a-f]{32}\/([0-9]+))$/;

/** The version and the image in the key of a record or its mark; null for another key. */
export function recordOf(key: string): { readonly version: number; readonly id: number } | null {
  const [, version, recorded, marked] = RECORD_PARTS.exec(key) ?? [];
  return version === undefined ? null : { version: Number(version), id: Number(recorded ?? marked) };
}

export const idListPrefix = (folder: string): string => `ids/of/${folder}/`;

/** Key of a list of ids of images of one folder, in the order of their names: one of the first, so that lists of other images have other keys. */
export function idListKey(images: readonly Pick<ArchivedImage, 'id' | 'key' | 'fileName'>[]): string {
  const { id, key, fileName } = images[0]!;
  return `${idListPrefix(folderOf(key))}${fileName}~${images.at(-1)!.fileName}~${id}.json`;
}

/** The first and the last name of a list of ids; null for another key. */
export function idListRange(key: string, folder: string): { readonly first: string; readonly last: string } | null {
  const [first, last, ...rest] = key.slice(idListPrefix(folder).length).split('~');
  return first === undefined || last === undefined || rest.length !== 1 ? null : { first, last };
}

export const sequenceMarkKey = (sequence: string): string => `ids/last/${sequence}`;

/** `name`: validated name of a JPX file, without `.jpx`. */
export const jpxManifestKey = (name: string): string => expiring('jpx/', `${name}.json`);

/** Hexadecimal digits of a content name: 128 bits, so that two contents never share a name by chance. */
const CONTENT_DIGITS = 32;

/** An image as a picture is made of it. */
type Content = Pick<ArchivedImage, 'sha256'>;

export const contentName = ({ sha256 }: Content): string => sha256.slice(0, CONTENT_DIGITS);

/** Key of the XML of some frames of a JPX file. `content`: digest of where it is in their images. */
export const jpxMetadataKey = (content: Content): string => expiring('derived/jpx-metadata/', `${contentName(content)}.xml`);

/** The beginning of the keys of all pictures of an image. `renderVersion`: changes with everything that decides pixels. */
export const imageCopyPrefix = (renderVersion: number, image: Content): string =>
  expiring('derived/v', `${renderVersion}/image/${contentName(image)}/`);

/** The stored picture of a whole image. `version`: of an encoder that has one of its own, or the quality of a lossy one. */
export const imageCopyKey = (
  renderVersion: number,
  image: Content,
  { width, type, version }: { readonly width: number; readonly type: string; readonly version?: number | string | undefined },
): string => `${imageCopyPrefix(renderVersion, image)}${width}.${version ? `${version}.` : ''}${type}`;

export const coefficientKey = (image: Content, part: 'a' | 'b' | 'c', version: number): string =>
  expiring(`derived/coefficients/${part}/`, `v${version}/${contentName(image)}`);

export const lawKey = (version: number, image: Content): string => `derived/laws/v${version}/${contentName(image)}.json`;

export const annuliKey = (image: Content, version: number): string => `derived/annuli/v${version}/${contentName(image)}`;

/** Contents of the cells of a grid: physical values, or the levels of images that have no values. */
export const GRID_KINDS = ['values', 'levels'] as const;
export type GridKind = (typeof GRID_KINDS)[number];

/** Changes with the format of grids, so that older ones are not read. */
const GRID_VERSION = 1;
const GRID_FOLDERS = { values: 'derived/grids', levels: 'derived/grids/levels' } as const;

export const sourceGridPrefix = (kind: GridKind, sourceId: number): string =>
  `${GRID_FOLDERS[kind]}/images/v${GRID_VERSION}/${sourceId}/`;

/** Prefix of the grids of images of a day. `atMs`: any time of the day. */
export const imageGridPrefix = (kind: GridKind, sourceId: number, atMs: number): string =>
  `${sourceGridPrefix(kind, sourceId)}${dayParts(atMs).join('/')}/`;

/** Digits of a time in ms since midnight. */
const TIME_DIGITS = 8;

type GriddedContent = Content & Pick<ArchivedImage, 'sourceId' | 'takenAtMs'>;

export function imageGridKey(kind: GridKind, image: GriddedContent): string {
  const ms = String(image.takenAtMs % DAY_MS).padStart(TIME_DIGITS, '0');
  return `${imageGridPrefix(kind, image.sourceId, image.takenAtMs)}${ms}-${contentName(image)}`;
}

/** The time in the key of the grid of an image, in ms since midnight. Keys sort otherwise where times have fractions. */
export const gridTimeOf = (key: string): number => Number.parseFloat(keyedName(key));

export const gridDayPrefix = (kind: GridKind, sourceId: number): string =>
  `${GRID_FOLDERS[kind]}/days/v${GRID_VERSION}/${sourceId}/`;

export const gridDayKey = (kind: GridKind, sourceId: number, atMs: number): string =>
  gridDayPrefix(kind, sourceId) + dayParts(atMs).join('/');

/** Keys of the objects that have to go with the grid of an image, its own first. */
export const gridKeys = (kind: GridKind, image: GriddedContent): readonly [string, string] => [
  imageGridKey(kind, image),
  gridDayKey(kind, image.sourceId, image.takenAtMs),
];

export const gridDayOf = (key: string): number => Date.parse(key.split('/').slice(-3).join('-'));

/** `content`: digest of the recipe and the images. */
export const screenshotKey = (renderVersion: number, content: Content): string =>
  expiring('derived/screenshots/', `v${renderVersion}/${contentName(content)}.png`);

/** `version`: of the arithmetic of maps; `content`: digest of the request and the images. */
export const mapKey = (version: number, content: Content, extension: string): string =>
  expiring('derived/maps/', `v${version}/${contentName(content)}.${extension}`);

export const eventDayKey = (version: number, feed: string, dayMs: number): string =>
  expiring('events/', `${version}/${feed}/${dayParts(dayMs).join('/')}.json.gz`);

export const stateTableKey = (version: number, spacecraft: string): string => `ephemeris/${version}/${spacecraft}.f64`;

/** `source`: hash of the blog's address in hexadecimal. */
export const newsFeedKey = (source: string): string => `news/${source}.json`;

export const clientStateKey = (hash: string): string => `states/${hash}.json`;

/** A file of MOVIE_FILES or a segment. The build is named by its plan, because a restored database may give its id to another build. */
export const movieFileKey = ({ key, generation }: { readonly key: string; readonly generation: number }, name: string): string =>
  expiring('derived/movies/', `${key.slice(0, CONTENT_DIGITS)}-${generation}/${name}`);

/** `key`: of the build, SHA-256 in hexadecimal. */
export const moviePlanKey = (key: string): string => expiring('derived/plans/', `${key}.json.gz`);

/** Key of an archived file by its path (`archivePath`); null for a text that is none. */
export function imageKeyOfPath(path: string): string | null {
  const key = JP2_PREFIX + path;
  return isArchiveKey(key) && isImageName(keyedName(key)) ? key : null;
}

export const keyedName = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** Prefix of the keys of archived files whose paths begin with `path`, which may be empty. */
export const imagePrefix = (path: string): string => JP2_PREFIX + path;

const READABLE_KEY = /^(jp2|idx|derived\/coefficients|derived\/annuli)(\/[A-Za-z0-9][A-Za-z0-9._+-]*)+$/;
const DERIVED_KEY = /^derived\/(?:coefficients\/a|(annuli))\/v[0-9]+\/[0-9a-f]{32}$/;
/** Longest key of R2, in bytes. */
const KEY_LENGTH = 1024;

/** Whether the key is that of an image or a sidecar of either kind, the only objects that movie workers may read. */
export const isArchiveKey = (key: string): boolean => key.length <= KEY_LENGTH && READABLE_KEY.test(key);

/** What movie workers may write: index sidecars, part A of coefficient sidecars, and statistics of annuli; null for another key. */
export function writableObject(key: string): 'index' | 'part A' | 'annuli' | null {
  if (isArchiveKey(key) && sidecarOf(key)) return 'index';
  const derived = DERIVED_KEY.exec(key);
  return derived && (derived[1] ? 'annuli' : 'part A');
}

/** Tag of the cached responses that depend on an image: of its content, which may have had ids that a restored database has lost. */
export const imageTag = (image: Content): string => `image-${contentName(image)}`;

/** Tag of the cached responses that show an image of a folder (a day of a datasource), for removals of more images than there are purges. */
export const folderTag = ({ key }: Pick<ArchivedImage, 'key'>): string => `folder-${dayFolder(key)}`;

/** Tag of the cached responses that an image added to a folder could change. Those of the images that are already in it remain. */
export const additionsTag = ({ key }: Pick<ArchivedImage, 'key'>): string => `additions-${dayFolder(key)}`;

const dayFolder = (key: string) => folderOf(key).replace(VERSION_FOLDER, '');

export const isVersionFolder = (name: string): boolean => VERSION_FOLDER.test(`/${name}`);

/** Days of a time of `nearestTags`: beyond, an answer has too many, and is not worth keeping. */
const NEAREST_DAYS = 10;
/** Names of files and headers, by one of which a folder is chosen, differ by minutes. */
export const FOLDER_MARGIN_MS = HOUR_MS;
const FOLDER_DAY = /[0-9]{4}\/[0-9]{2}\/[0-9]{2}(?=\/|$)/;

/** Tags of cached responses that name this image as the nearest: folders of all days to which a nearer one may be added; null for too many. */
export function nearestTags(image: Pick<ArchivedImage, 'key' | 'sha256' | 'takenAtMs'>, atMs: number): string[] | null {
  const reachMs = Math.abs(image.takenAtMs - atMs) + FOLDER_MARGIN_MS;
  const [first, last] = [Math.floor((atMs - reachMs) / DAY_MS), Math.floor((atMs + reachMs) / DAY_MS)];
  if (last - first >= NEAREST_DAYS) return null;
  const tags = Array.from({ length: last - first + 1 }, (_, i) => {
    const day = dayParts((first + i) * DAY_MS).join('/');
    return additionsTag({ key: image.key.replace(FOLDER_DAY, day) });
  });
  return [...new Set([...imageTags(image), ...tags])];
}

export const imageTags = (image: Pick<ArchivedImage, 'sha256' | 'key'>): string[] => [imageTag(image), folderTag(image)];

/** Tag of cached timelines and JPX files of an instrument (`DataSource.archiveDirectory`), which show too many days for a tag each. */
export const timelineTag = (instrument: string): string => `timeline-${instrument}`;

/** Tag of the cached timelines that count an image, and of JPX files that may show it. */
export const timelineTagOf = ({ key }: Pick<ArchivedImage, 'key'>): string => timelineTag(folderOf(key).split('/')[0]!);

const IMAGE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*\.jp2$/;
/** Longest file name: real ones have up to 80 characters, and the key around it must stay below the 1024 bytes of R2. */
export const IMAGE_NAME_CHARACTERS = 200;

export const isImageName = (fileName: string): boolean => fileName.length <= IMAGE_NAME_CHARACTERS && IMAGE_NAME.test(fileName);
