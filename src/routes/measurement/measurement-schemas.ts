// Response schemas of the operations that measure.
import { z } from '@hono/zod-openapi';
import { FIGURES, type FigureName } from '../../domain/measurement/value.ts';
import { named } from '../../http/openapi/json-bodies.ts';
import { SERIES_REASONS } from '../../services/measurement/image-series.ts';

const degrees = (description: string) =>
  z
    .object({ longitude: z.number().describe('Degrees.'), latitude: z.number().describe('Degrees.') })
    .nullable()
    .describe(description);

const place = () =>
  z
    .object({
      helioprojective: z
        .object({ x: z.number(), y: z.number() })
        .nullable()
        .describe(
          'Arcseconds to the west and to the north, as the observer saw them; null for a projection that is not supported.',
        ),
      stonyhurst: degrees('Longitude from the meridian of the Earth, and latitude; null beside the Sun.'),
      carrington: degrees('The same with the longitude of Carrington, 0 to 360.'),
      pixel: z.object({ x: z.number(), y: z.number() }).describe('FITS pixel: the centre of the lower left one is 1, 1.'),
    })
    .describe('The requested place in all frames.');

const statistics = () =>
  z
    .object({
      mean: z.number().describe('Mean of the inverted values. A censored pixel counts as the edge beyond which its value lies.'),
      lower: z.number().nullable().describe('Lower end of the interval of the mean; null where censored pixels leave it open.'),
      upper: z.number().nullable().describe('Upper end.'),
      median: z.number(),
      min: z.number(),
      max: z.number(),
      count: z.int().describe('Pixels with data, at full resolution.'),
      below: z.int().describe('Pixels of them below the lower end of the scale.'),
      above: z.int().describe('Pixels of them above the upper end.'),
      noData: z.int().describe('Pixels of the box without data.'),
      lossyLevels: z
        .number()
        .describe('Levels by which the mean may be off because the file is lossy, with a confidence of 95 %.'),
    })
    .nullable()
    .describe('Of the box; null without `size`.');

/** getValue. */
export const imageValue = () =>
  named('ImageValue', 'A physical value with its interval.', {
    id: z.int().describe('Id of the image.'),
    date: z.string().describe('Observation time, ISO 8601.'),
    byte: z.int().min(0).max(255).describe('Byte of the pixel.'),
    value: z
      .number()
      .nullable()
      .describe(
        'Middle of the level; the edge beyond which the value lies where it is censored; null where the pixel has no data.',
      ),
    lower: z
      .number()
      .nullable()
      .describe('Lower end of the interval, with level and loss of the compression; null where it is open.'),
    upper: z.number().nullable().describe('Upper end.'),
    unit: z.string().describe('Of all values, per pixel of the image.'),
    law: z.string().nullable().describe('Name of the law by which the byte was inverted; null with `raw`.'),
    status: z.enum(['exact', 'approximate']).nullable().describe('How sure the law is; null with `raw`.'),
    censored: z
      .enum(['below', 'above'])
      .nullable()
      .describe('Whether the byte is an end of the scale: the value lies below or above it.'),
    lossyLevels: z.number().describe('Levels by which the byte may be off because the file is lossy, with a confidence of 95 %.'),
    caveats: z.array(z.string()).describe('Sentences on what the value is not.'),
    place: place(),
    statistics: statistics(),
  });

const pair = (description: string) => z.array(z.number()).length(2).readonly().describe(description);

export const imageData = () =>
  named('ImageData', 'The values or bytes of a region of an image.', {
    id: z.int().describe('Id of the image.'),
    date: z.string().describe('Observation time, ISO 8601.'),
    unit: z.string().nullable().describe('Of all values, per pixel of the image; null with `raw`.'),
    law: z.string().nullable().describe('Name of the law by which the bytes were inverted; null with `raw`.'),
    status: z.enum(['exact', 'approximate']).nullable().describe('How sure the law is; null with `raw`.'),
    history: z.array(z.string()).describe('Sentences on the law, its gate, and what the values are not.'),
    width: z.int().describe('Values of a row.'),
    height: z.int().describe('Rows.'),
    corner: z.object({ x: z.int(), y: z.int() }).describe('FITS pixel of the image at the lower left of the array.'),
    pixels: z
      .object({
        measured: z.int().describe('With a value.'),
        below: z.int().describe('Below the lower end of the scale.'),
        above: z.int().describe('Above the upper end.'),
        noData: z.int().describe('Without data.'),
      })
      .describe('Pixels of the region at full resolution.'),
    wcs: z
      .object({
        ctype: z.array(z.string()).length(2).readonly(),
        cunit: z.array(z.string()).length(2).readonly(),
        crpix: pair('Reference pixel of the array; the centre of its first one is 1.'),
        cdelt: pair('Unit a value.'),
        crval: pair('Coordinates at the reference pixel.'),
        pc: z.array(pair('A row.')).length(2).readonly().describe('Linear transformation.'),
      })
      .nullable()
      .describe('Coordinates of the array as FITS keywords; null for an image without.'),
    values: z.array(z.array(z.number().nullable())).describe('Rows from the bottom; null where there is no value.'),
  });

const status = (description: string) => z.enum(['exact', 'approximate']).describe(description);

const figureMembers = () =>
  Object.fromEntries(
    FIGURES.flatMap((name) => [
      [name, z.number().nullable().optional().describe(`The figure \`${name}\`; null without a value.`)],
      [`${name}Lower`, z.number().nullable().optional().describe('Lower end of its interval; null where it is open.')],
      [`${name}Upper`, z.number().nullable().optional().describe('Upper end.')],
    ]),
  ) as Record<FigureName | `${FigureName}${'Lower' | 'Upper'}`, z.ZodOptional<z.ZodNullable<z.ZodNumber>>>;

const seriesFacts = () => ({
  sourceId: z.int().describe('Datasource.'),
  images: z.int().describe('Images of the range.'),
  unit: z.string().describe('Of the values of the first image.'),
  law: z.string().nullable().describe('Law of the first image; null with `raw`.'),
  status: status('How sure it is; null with `raw`.').nullable(),
  caveats: z.array(z.string()).readonly().describe('Sentences on what the values are not.'),
  rotation: z.string().nullable().describe('The differential rotation of a tracked region; null for a fixed one.'),
});

const reason = () => z.enum(SERIES_REASONS).nullable().describe('Why there are no values; null where there are.');

export const lightCurve = () =>
  named('LightCurve', 'Figures of a region in the images of a range of time.', {
    ...seriesFacts(),
    grid: z
      .object({
        cells: z.int().describe('Cells along each side of an image.'),
        cellArcsec: z.number().describe('Width of a cell in arcseconds.'),
        missingDays: z.array(z.string()).describe('Days with images that have no grids, such as 2024-05-10.'),
      })
      .nullable()
      .describe('The grids from which the curve was read; null for one of pixels.'),
    rows: z.int().describe('Rows of the curve, for the progress of reading it.'),
    areaUnit: z.string().nullable().describe('Of the figure `area`.'),
    threshold: z.number().nullable().describe('Value above which the area is counted.'),
    curve: z.array(
      z
        .object({
          id: z.int().nullable().describe('Id of the image; null in a gap.'),
          date: z.string().describe('Observation time, ISO 8601; in a gap the time at which it begins.'),
          reason: reason(),
          count: z.int().nullable().describe('Pixels with data.'),
          censored: z.number().nullable().describe('Share of them beyond the ends of the scale.'),
          unit: z.string().nullable().describe('Of the values.'),
          status: status('How sure the law of the image is.').nullable(),
          ...figureMembers(),
        })
        .describe('A row.'),
    ),
  });

export const timeDistance = () =>
  named('TimeDistanceMap', 'Values along a path in the images of a range of time.', {
    ...seriesFacts(),
    rows: z.int().describe('Rows of the map, for the progress of reading it.'),
    step: z.number().describe('Arcseconds between positions.'),
    width: z.number().describe('Arcseconds over which a value is a mean.'),
    path: z.array(pair('Arcseconds to the west and north.')).describe('The positions.'),
    map: z.array(
      z
        .object({
          id: z.int().nullable().describe('Id of the image; null in a gap.'),
          date: z.string().describe('Observation time, ISO 8601; in a gap the time at which it begins.'),
          reason: reason(),
          values: z.array(z.number().nullable()).describe('A value for each position; null where there is none.'),
        })
        .describe('A row.'),
    ),
  });
