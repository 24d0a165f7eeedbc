// Response schemas of the operations that measure.
import { z } from '@hono/zod-openapi';
import { SERIES_REASONS } from '../../measure/image-series.ts';
import { named, number, object, text, whole } from '../../platform/http/parameters.ts';
import { FIGURES, type FigureName } from '../../sun/laws/value.ts';

const degrees = (description: string) =>
  z
    .object({ longitude: number('Degrees.'), latitude: number('Degrees.') })
    .nullable()
    .describe(description);

const place = () =>
  object('The requested place in all frames.', {
    helioprojective: object(
      'Arcseconds to the west and to the north, as the observer saw them; null for a projection that is not supported.',
      { x: z.number(), y: z.number() },
    ).nullable(),
    stonyhurst: degrees('Longitude from the meridian of the Earth, and latitude; null beside the Sun.'),
    carrington: degrees('The same with the longitude of Carrington, 0 to 360.'),
    pixel: object('FITS pixel: the centre of the lower left one is 1, 1.', { x: z.number(), y: z.number() }),
  });

const statistics = () =>
  object('Of the box; null without `size`.', {
    mean: number('Mean of the inverted values. A censored pixel counts as the edge beyond which its value lies.'),
    lower: number('Lower end of the interval of the mean; null where censored pixels leave it open.').nullable(),
    upper: number('Upper end.').nullable(),
    median: z.number(),
    min: z.number(),
    max: z.number(),
    count: whole('Pixels with data, at full resolution.'),
    below: whole('Pixels of them below the lower end of the scale.'),
    above: whole('Pixels of them above the upper end.'),
    noData: whole('Pixels of the box without data.'),
    lossyLevels: number('Levels by which the mean may be off because the file is lossy, with a confidence of 95 %.'),
  }).nullable();

/** getValue. */
export const imageValue = () =>
  named('ImageValue', 'A physical value with its interval.', {
    id: whole('Id of the image.'),
    date: text('Observation time, ISO 8601.'),
    byte: z.int().min(0).max(255).describe('Byte of the pixel.'),
    value: number(
      'Middle of the level; the edge beyond which the value lies where it is censored; null where the pixel has no data.',
    ).nullable(),
    lower: number('Lower end of the interval, with level and loss of the compression; null where it is open.').nullable(),
    upper: number('Upper end.').nullable(),
    unit: text('Of all values, per pixel of the image.'),
    law: text('Name of the law by which the byte was inverted; null with `raw`.').nullable(),
    status: z.enum(['exact', 'approximate']).nullable().describe('How sure the law is; null with `raw`.'),
    censored: z
      .enum(['below', 'above'])
      .nullable()
      .describe('Whether the byte is an end of the scale: the value lies below or above it.'),
    lossyLevels: number('Levels by which the byte may be off because the file is lossy, with a confidence of 95 %.'),
    caveats: z.array(z.string()).describe('Sentences on what the value is not.'),
    place: place(),
    statistics: statistics(),
  });

const pair = (description: string) => z.array(z.number()).length(2).readonly().describe(description);

export const imageData = () =>
  named('ImageData', 'The values or bytes of a region of an image.', {
    id: whole('Id of the image.'),
    date: text('Observation time, ISO 8601.'),
    unit: text('Of all values, per pixel of the image; null with `raw`.').nullable(),
    law: text('Name of the law by which the bytes were inverted; null with `raw`.').nullable(),
    status: z.enum(['exact', 'approximate']).nullable().describe('How sure the law is; null with `raw`.'),
    history: z.array(z.string()).describe('Sentences on the law, its gate, and what the values are not.'),
    width: whole('Values of a row.'),
    height: whole('Rows.'),
    corner: object('FITS pixel of the image at the lower left of the array.', { x: z.int(), y: z.int() }),
    pixels: object('Pixels of the region at full resolution.', {
      measured: whole('With a value.'),
      below: whole('Below the lower end of the scale.'),
      above: whole('Above the upper end.'),
      noData: whole('Without data.'),
    }),
    wcs: object('Coordinates of the array as FITS keywords; null for an image without.', {
      ctype: z.array(z.string()).length(2).readonly(),
      cunit: z.array(z.string()).length(2).readonly(),
      crpix: pair('Reference pixel of the array; the centre of its first one is 1.'),
      cdelt: pair('Unit a value.'),
      crval: pair('Coordinates at the reference pixel.'),
      pc: z.array(pair('A row.')).length(2).readonly().describe('Linear transformation.'),
    }).nullable(),
    values: z.array(z.array(z.number().nullable())).describe('Rows from the bottom; null where there is no value.'),
  });

const status = (description: string) => z.enum(['exact', 'approximate']).describe(description);

const figureMembers = () =>
  Object.fromEntries(
    FIGURES.flatMap((name) => [
      [name, number(`The figure \`${name}\`; null without a value.`).nullable().optional()],
      [`${name}Lower`, number('Lower end of its interval; null where it is open.').nullable().optional()],
      [`${name}Upper`, number('Upper end.').nullable().optional()],
    ]),
  ) as Record<FigureName | `${FigureName}${'Lower' | 'Upper'}`, z.ZodOptional<z.ZodNullable<z.ZodNumber>>>;

const seriesFacts = () => ({
  sourceId: whole('Datasource.'),
  images: whole('Images of the range.'),
  unit: text('Of the values of the first image.'),
  law: text('Law of the first image; null with `raw`.').nullable(),
  status: status('How sure it is; null with `raw`.').nullable(),
  caveats: z.array(z.string()).readonly().describe('Sentences on what the values are not.'),
  rotation: text('The differential rotation of a tracked region; null for a fixed one.').nullable(),
});

const reason = () => z.enum(SERIES_REASONS).nullable().describe('Why there are no values; null where there are.');

export const lightCurve = () =>
  named('LightCurve', 'Figures of a region in the images of a range of time.', {
    ...seriesFacts(),
    grid: object('The grids from which the curve was read; null for one of pixels.', {
      cells: whole('Cells along each side of an image.'),
      cellArcsec: number('Width of a cell in arcseconds.'),
      missingDays: z.array(z.string()).describe('Days with images that have no grids, such as 2024-05-10.'),
    }).nullable(),
    rows: whole('Rows of the curve, for the progress of reading it.'),
    areaUnit: text('Of the figure `area`.').nullable(),
    threshold: number('Value above which the area is counted.').nullable(),
    curve: z.array(
      object('A row.', {
        id: whole('Id of the image; null in a gap.').nullable(),
        date: text('Observation time, ISO 8601; in a gap the time at which it begins.'),
        reason: reason(),
        count: whole('Pixels with data.').nullable(),
        censored: number('Share of them beyond the ends of the scale.').nullable(),
        unit: text('Of the values.').nullable(),
        status: status('How sure the law of the image is.').nullable(),
        ...figureMembers(),
      }),
    ),
  });

export const timeDistance = () =>
  named('TimeDistanceMap', 'Values along a path in the images of a range of time.', {
    ...seriesFacts(),
    rows: whole('Rows of the map, for the progress of reading it.'),
    step: number('Arcseconds between positions.'),
    width: number('Arcseconds over which a value is a mean.'),
    path: z.array(pair('Arcseconds to the west and north.')).describe('The positions.'),
    map: z.array(
      object('A row.', {
        id: whole('Id of the image; null in a gap.').nullable(),
        date: text('Observation time, ISO 8601; in a gap the time at which it begins.'),
        reason: reason(),
        values: z.array(z.number().nullable()).describe('A value for each position; null where there is none.'),
      }),
    ),
  });
