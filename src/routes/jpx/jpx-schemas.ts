// Response schemas of getJPX and getJPXClosestToMidPoint.
import { z } from '@hono/zod-openapi';

const jpxAddress = () =>
  z
    .object({
      message: z.string().nullable().describe('Deviations from the request, as another cadence; null for none.'),
      uri: z.string().describe('JPIP address with jpip, else HTTP address.'),
      frames: z.array(z.int()).describe('Times of the frames, seconds since 1970.'),
    })
    .openapi('JpxAddress', { description: 'A JPX file that is ready to be read.' });

const jpxFailure = () =>
  z
    .object({ error: z.string().describe('A sentence for people.'), uri: z.null() })
    .openapi('JpxFailure', { description: 'A failure, with status 200 because desktop clients depend on that.' });

export const jpxBody = () => z.union([jpxAddress(), jpxFailure()]);
