// getEclipseImage.

import { badParameter } from '../../domain/errors.ts';
import { MEDIA_TYPES } from '../../domain/media-types.ts';
import { RECENT } from '../../http/cache-policy.ts';
import { boolean } from '../../http/parameters.ts';
import { bytesReply } from '../../http/response.ts';
import { PICTURE_HEADERS, pictureHeaders, pictureTags } from '../images/image-headers.ts';
import { operation } from '../services.ts';
import { BUSY, layerOperations, operations } from './scene-parameters.ts';

export const getEclipseImage = operation({
  name: 'getEclipseImage',
  summary: 'The current corona: the newest image of LASCO C2 in grey, 800x800 pixels of 15 arcseconds.',
  description: 'Shows the corona as at a total eclipse. The picture changes with the newest image.',
  tag: 'Screenshots',
  responses: { [MEDIA_TYPES.png]: 'The picture.' },
  headers: PICTURE_HEADERS,
  otherResponses: { 404: 'There is no image of LASCO C2.', ...BUSY },
  parameters: { moon: boolean('Draws a moon in front of the Sun.').default(true) },
  edge: 'shared',
  canonical: (values, raw) => {
    const name = Object.keys({ ...layerOperations, ...operations }).find((one) => raw.has(one));
    if (name !== undefined)
      throw badParameter(name, 'no value for the eclipse, which is always the same picture,', raw.get(name)!.at(-1));
    return values;
  },
  handle: async ({ moon }, context) => {
    const { eclipses } = context.services;
    const { plan, png } = await eclipses.now(moon, context);
    const headers = {
      ...pictureHeaders(plan),
      'Content-Disposition': 'inline; filename="eclipse.png"',
    };
    return bytesReply(MEDIA_TYPES.png, png, { policy: RECENT, headers, tags: pictureTags(plan) });
  },
});
