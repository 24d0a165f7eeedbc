// Response schemas of the operations on single images.
import { z } from '@hono/zod-openapi';
import { dateTimeText, named, number, object, text, whole } from '../../platform/http/openapi/json-bodies.ts';

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
