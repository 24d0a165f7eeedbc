// getImageHeader: the FITS header of an image as JSON, with its world coordinate system.
import { imageById } from '../../archive/find-image.ts';
import { jp2Header } from '../../archive/jp2-header.ts';
import { type JsonBody, jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { jsonReply } from '../../platform/http/response.ts';
import { formatExact } from '../../sun/time.ts';
import { typedValues, wcsNotes, wcsOf } from '../../sun/wcs.ts';
import { fileWarning } from '../jpx/image-layouts.ts';
import { operation } from '../services.ts';
import { imageFacts } from './image-headers.ts';
import { GONE, imageId, UNKNOWN_IMAGE } from './jp2.ts';
import { imageHeader as imageHeaderSchema } from './list-schemas.ts';

export const getImageHeader = operation({
  name: 'getImageHeader',
  summary: 'The FITS header of an image as JSON, with its world coordinate system.',
  description:
    'Keywords are in upper case; numbers are numbers, and `nan` is null. `wcs` is what a map of SunPy has for the header: defaults ' +
    'of the FITS standard are filled in, and the rotation is a matrix, whichever of PCi_j, CDi_j and CROTA2 the header has, and the ' +
    'identity for LASCO, EIT and MDI, whose images are turned to the north although the headers keep the roll. It is ' +
    'null for a header without a scale, or with a matrix and a CROTA that contradict each other. `notes` has sentences about values that it does not take, `warning` one about what the file lacks. Rows of a FITS image count from below.',
  tag: 'Images',
  responses: { 'application/json': jsonBody('The header.', imageHeaderSchema) },
  headers: ['Last-Modified', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...UNKNOWN_IMAGE, ...GONE },
  parameters: { id: imageId() },
  parametersInV1: null,
  jsonp: true,
  edge: 'shared',
  handle: async ({ id }, { services, stopwatch }) => {
    const image = await imageById({ index: services.index, stopwatch }, id);
    const [{ fits, helioviewer }, warning] = await Promise.all([
      jp2Header({ objects: services.objects, stopwatch }, image),
      fileWarning(services.objects, image),
    ]);
    const reply: JsonBody<typeof imageHeaderSchema> = {
      id,
      date: formatExact(image.takenAtMs),
      fits: typedValues(fits),
      helioviewer: typedValues(helioviewer),
      wcs: wcsOf(fits, image.sourceId),
      notes: wcsNotes(fits, image.sourceId),
      warning,
    };
    return jsonReply(reply, imageFacts(image));
  },
});
