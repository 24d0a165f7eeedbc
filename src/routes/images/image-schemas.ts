// Response schemas of the operations on single images.
import { z } from '@hono/zod-openapi';
import { dateTimeText, named } from '../../http/openapi/json-bodies.ts';

const centreOffset = () =>
  z
    .object({ XCEN: z.string(), YCEN: z.string(), CDELT1: z.string(), CDELT2: z.string() })
    .describe('Header values of an image of Hinode XRT.');

const recordFields = () => ({
  id: z.int().min(1).describe('Id of the image, for getTile, getJP2Header, getJP2Image and downloadImage.'),
  date: dateTimeText('Observation time.'),
  name: z.string().describe('Name of the datasource.'),
  scale: z.number().describe('Arcseconds per pixel as seen from 1 au.'),
  scaleCorrection: z.number().describe('Scale in the header, divided by `scale`.'),
  width: z.int().describe('Pixels of the JPEG 2000 image.'),
  height: z.int().describe('Pixels of the JPEG 2000 image.'),
  refPixelX: z.number().describe('Pixel of the centre of the Sun; the centre of the first pixel, at the left edge, is 1.'),
  refPixelY: z.number().describe('The same for rows, from the lower edge.'),
  offsetX: z.number().describe('CRVAL1 of the header.'),
  offsetY: z.number().describe('CRVAL2 of the header.'),
  rotation: z.number().describe('CROTA of the header in degrees. getTile and downloadImage have the image as its file lies.'),
  rsun: z.number().describe('Radius of the Sun in pixels.'),
  dsun: z.number().describe('Distance of the observer from the Sun in metres.'),
  sunCenterOffsetParams: z
    .union([z.array(z.unknown()).max(0), centreOffset()])
    .describe('Empty for the images of other instruments.'),
  layeringOrder: z.int().describe('Place in a picture: layers with higher numbers lie above.'),
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
          takenAt: z.string().describe('Observation time, ISO 8601 with Z and milliseconds.'),
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
        prev_date: z.string().nullable().describe('Time of the image before, or null.'),
        next_date: z.string().nullable().describe('Time of the image after, or null.'),
      }),
    )
    .openapi('AdjacentDates', { description: 'By datasource id.' });

/** getJP2Image with jpip and json. */
export const jpipAddress = () =>
  named('JpipAddress', null, { uri: z.string().describe('`jpip://` or `jpips://` address of the image.') });
