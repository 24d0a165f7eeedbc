// getImageHeader: the FITS header of an image as JSON, with its world coordinate system.
import { SOLAR_RADIUS_M } from '../../domain/geometry.ts';
import { formatExact } from '../../domain/time.ts';
import { typedValues, wcsNotes, wcsOf } from '../../domain/wcs.ts';
import { type JsonBody, jsonBody } from '../../http/openapi/json-bodies.ts';
import { jsonReply } from '../../http/response.ts';
import { imageById } from '../../services/images/find-image.ts';
import { jp2Header } from '../../services/images/jp2-header.ts';
import { fileWarning } from '../../services/jpx/image-layouts.ts';
import { EXAMPLE_IMAGE } from '../examples.ts';
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
  responses: {
    'application/json': jsonBody('The header.', imageHeaderSchema, {
      id: 26,
      date: '2024-05-10T00:00:03.000Z',
      fits: { TELESCOP: 'SDO/AIA', NAXIS1: 1024, CDELT1: 2.4, CROTA2: 0, EXPTIME: null },
      helioviewer: { HV_COMMENT: 'Sample image' },
      wcs: {
        naxis: [1024, 1024],
        ctype: ['HPLN-TAN', 'HPLT-TAN'],
        cunit: ['arcsec', 'arcsec'],
        crpix: [512.5, 512.5],
        cdelt: [2.4, 2.4],
        crval: [0, 0],
        pc: [
          [1, 0],
          [0, 1],
        ],
        lonpole: 180,
        latpole: 0,
        dateObs: '2024-05-10T00:00:03.000Z',
        observer: { frame: 'heliographic_stonyhurst', longitude: 0, latitude: -3.2, distance: 151_074_764_666 },
        rsunRef: SOLAR_RADIUS_M,
      },
      notes: [],
      warning: null,
    }),
  },
  headers: ['Last-Modified', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...UNKNOWN_IMAGE, ...GONE },
  example: { id: EXAMPLE_IMAGE },
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
