// Response schemas of images and of lists of them.
import { z } from '@hono/zod-openapi';
import { dateTimeText, type JsonBody, named, number, object, text, whole } from '../../platform/http/parameters.ts';

const centreOffset = () =>
  object('Header values of an image of Hinode XRT.', {
    XCEN: z.string(),
    YCEN: z.string(),
    CDELT1: z.string(),
    CDELT2: z.string(),
  });

const recordFields = () => ({
  id: z.int().min(1).describe('Id of the image, for getTile, getJP2Header, getJP2Image and downloadImage.'),
  date: dateTimeText('Observation time.'),
  name: text('Name of the datasource.'),
  scale: number('Arcseconds per pixel as seen from 1 au.'),
  scaleCorrection: number('Scale in the header, divided by `scale`.'),
  width: whole('Pixels of the JPEG 2000 image.'),
  height: whole('Pixels of the JPEG 2000 image.'),
  refPixelX: number('Pixel of the centre of the Sun; the centre of the first pixel, at the left edge, is 1.'),
  refPixelY: number('The same for rows, from the lower edge.'),
  offsetX: number('CRVAL1 of the header.'),
  offsetY: number('CRVAL2 of the header.'),
  rotation: number('CROTA of the header in degrees. getTile and downloadImage have the image as its file lies.'),
  rsun: number('Radius of the Sun in pixels.'),
  dsun: number('Distance of the observer from the Sun in metres.'),
  sunCenterOffsetParams: z
    .union([z.array(z.unknown()).max(0), centreOffset()])
    .describe('Empty for the images of other instruments.'),
  layeringOrder: whole('Place in a picture: layers with higher numbers lie above.'),
});

/** getClosestImage. */
export const imageRecord = () => named('ImageRecord', 'An image and its geometry.', recordFields());

/** getImagesAtTimes. */
export const imagesOfDates = () =>
  named('ImagesOfDates', null, {
    images: z
      .array(
        named('TimedImageRecord', 'An image, its geometry and its exact time.', {
          ...recordFields(),
          takenAt: text('Observation time, ISO 8601 with Z and milliseconds.'),
        }).nullable(),
      )
      .describe('One for each date, in the order of the request; null where there is none.'),
  });

/** getClosestImageDatesForSources. */
export const adjacentDates = () =>
  z
    .record(
      z.string(),
      z.object({
        prev_date: text('Time of the image before, or null.').nullable(),
        next_date: text('Time of the image after, or null.').nullable(),
      }),
    )
    .openapi('AdjacentDates', { description: 'By datasource id.' });

/** getJP2Image with jpip and json. */
export const jpipAddress = () => named('JpipAddress', null, { uri: text('`jpip://` or `jpips://` address of the image.') });

const listedImage = () =>
  named('ListedImage', null, {
    id: z.int().min(1).describe('Id of the image, for all operations that take one.'),
    date: text('Observation time, ISO 8601 with Z and all decimals that the archive has.'),
    name: text('File name.'),
    size: z.int().min(0).describe('Bytes of the JPEG 2000 file.'),
    sha256: text('SHA-256 of the file, in hexadecimal.'),
    jp2: text('Address of the file.'),
    header: text('Address of its header.'),
    preview: text('Address of a small picture.'),
  });

/** listImages. */
export const listedImages = () =>
  named('ImageList', null, {
    images: z.array(listedImage()),
    next: text('Date of the last image where there are more, for `after`; null at the end.').nullable(),
  });

/** A file. Archives are equal when they have the same names with the same SHA-256. */
const heldFile = () =>
  named('HeldFile', null, {
    sourceId: z.int().min(0),
    date: text('Observation time, ISO 8601 with Z and all decimals that the archive has.'),
    name: text('File name, by which archives are compared.'),
    size: z.int().min(0).describe('Bytes of the file.'),
    sha256: text('SHA-256 of the file, in hexadecimal.'),
  });

/** The files of a source of one UTC day. */
const heldDay = () =>
  named('HeldDay', null, {
    sourceId: z.int().min(0),
    day: text('UTC day, YYYY-MM-DD.'),
    count: z.int().min(1).describe('Files of the day.'),
    bytes: z.int().min(0).describe('Their bytes.'),
    checksum: text('Sum of the first 40 bits of their SHA-256 modulo 2^40, ten hexadecimal digits.'),
  });

export type HeldFile = JsonBody<typeof heldFile>;
export type HeldDayLine = JsonBody<typeof heldDay>;

const holdingsEnd = () => ({
  next: text('Source and date of the last line where there are more, for `after`; null at the end.').nullable(),
  count: z.int().min(0).describe('Files of this list.'),
  bytes: z.int().min(0).describe('Their bytes.'),
});

const fileManifest = () => named('Holdings', null, { files: z.array(heldFile()), ...holdingsEnd() });

const dayManifest = () => named('HoldingsByDay', null, { days: z.array(heldDay()), ...holdingsEnd() });

export const holdings = () => z.union([fileManifest(), dayManifest()]);

export const dataGap = () =>
  named('DataGap', null, {
    start: text('Time of the last image before the gap, or the start of the range before the first image.'),
    end: text('Time of the first image after it, or the end of the range after the last image.'),
    seconds: z.number().min(0),
    cadenceSeconds: number('Median interval of the images beside it; null where there are too few.').nullable(),
    missing: z.int().min(1).nullable().describe('Images of that cadence that would fit in; null without a cadence.'),
    reason: z
      .enum(['before-first', 'after-last', 'not-launched', 'mission-ended', 'outage', 'eclipse'])
      .nullable()
      .describe('Null where no reason is known.'),
    sentence: text('The reason for people.').nullable(),
  });

export const dataGaps = () =>
  named('DataGaps', null, {
    sourceId: z.int().min(0),
    name: text('Name of the datasource.'),
    start: text('Start of the range, ISO 8601 with Z.'),
    end: text('Its end.'),
    cadenceSeconds: number('Typical interval of its images; null without images.').nullable(),
    foundFromSeconds: number('Every gap of this length is found.').nullable(),
    gaps: z.array(dataGap()),
    next: text('`startTime` of the next request where there are more gaps.').nullable(),
  });

const values = () => z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
/** Two equal items, because tuples have no `items`, which tools for the document expect of every list. */
const pair = <T extends z.ZodType>(item: T) => z.array(item).length(2);

const wcs = () =>
  named('WorldCoordinates', 'World coordinates of an image, as in a map of SunPy.', {
    naxis: pair(z.number()).describe('Pixels along the axes.'),
    ctype: pair(z.string()),
    cunit: pair(z.string()),
    crpix: pair(z.number()).describe('Reference pixel; the centre of the first one is 1, 1.'),
    cdelt: pair(z.number()),
    crval: pair(z.number()),
    pc: pair(pair(z.number())).describe('Rows of the matrix that multiplies pixel offsets before cdelt.'),
    pv: z.array(z.number()).optional().describe('PV2_0, PV2_1 and so on, where the header has them.'),
    lonpole: z.number(),
    latpole: z.number(),
    dateObs: text('Time of the observation, with the time of day; UTC.').nullable(),
    observer: object('Null where the header has none, or an impossible distance: the Earth.', {
      frame: z.enum(['heliographic_stonyhurst', 'heliographic_carrington']),
      longitude: number('Degrees.'),
      latitude: number('Degrees.'),
      distance: number('Metres from the centre of the Sun.'),
    }).nullable(),
    rsunRef: number('Metres of the solar radius.'),
  });

export const imageHeader = () =>
  named('ImageHeader', null, {
    id: z.int().min(1),
    date: text('Observation time, ISO 8601 with Z.'),
    fits: values().describe('Keywords of the observation.'),
    helioviewer: values().describe('Keywords of the archive.'),
    wcs: wcs().nullable(),
    notes: z.array(z.string()).describe('Sentences about values of the header that `wcs` does not take.'),
    warning: text('What the file lacks although it can be shown; null where it lacks nothing.').nullable(),
  });
