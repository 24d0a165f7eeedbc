// Response schemas of the operations that measure.
import { z } from '@hono/zod-openapi';

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
  z
    .object({
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
      law: z.string().describe('Name of the law by which the byte was inverted.'),
      status: z.enum(['exact', 'approximate']).describe('How sure the law is.'),
      censored: z
        .enum(['below', 'above'])
        .nullable()
        .describe('Whether the byte is an end of the scale: the value lies below or above it.'),
      lossyLevels: z
        .number()
        .describe('Levels by which the byte may be off because the file is lossy, with a confidence of 95 %.'),
      caveats: z.array(z.string()).describe('Sentences on what the value is not.'),
      place: place(),
      statistics: statistics(),
    })
    .openapi('ImageValue', { description: 'A physical value with its interval.' });
