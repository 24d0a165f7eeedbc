// getSciDataScript: a script that downloads the science data behind a view.
import { PRIVATE_COPY } from '../../platform/http/cache-policy.ts';
import { choice, date, decimal, handle } from '../../platform/http/parameters.ts';
import { namedFile, textReply } from '../../platform/http/response.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { fileStamp, formatIso, swappedTimes } from '../../sun/time.ts';
import { operation, serviceOrigin } from '../services.ts';
import { idlScript, pythonScript, type ScriptBox, scienceData } from './science-data.ts';
import { sourceList } from './source-parameters.ts';

const LANGUAGES = {
  sswidl: { type: 'text/x-rsiidl-src; charset=utf-8', extension: 'pro', write: idlScript },
  sunpy: { type: 'text/x-script.python; charset=utf-8', extension: 'py', write: pythonScript },
} as const;

const LANGUAGE_NAMES = ['sswidl', 'sunpy'] as const;

/** Arcseconds from disk centre. */
const ARCSEC = { min: -1_000_000, max: 1_000_000 };

const corner = (name: string) =>
  decimal(`${name} of the view, arcseconds from disk centre, y down. Unset: the whole disk.`, ARCSEC);

function boxOf({ x1, y1, x2, y2 }: { [K in keyof ScriptBox]?: number | undefined }): ScriptBox | null {
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined || x1 === x2 || y1 === y2) return null;
  return { x1, y1, x2, y2 };
}

export const getSciDataScript = operation({
  name: 'getSciDataScript',
  summary: 'A script in IDL (SolarSoft) or Python (SunPy) that downloads the science data behind a view.',
  description:
    'Images of this service are made for looking at; measurements need the calibrated data, which the script finds in the ' +
    'archives of the instruments for the same time range and region.',
  tag: 'Images',
  responses: { 'text/x-rsiidl-src': 'lang=sswidl: the IDL script.', 'text/x-script.python': 'lang=sunpy: the Python script.' },
  headers: ['Content-Disposition'],
  parameters: {
    sourceIds: sourceList('Datasources of the layers.'),
    startDate: date('Start of the data.'),
    endDate: date('End of the data.'),
    lang: choice('Language of the script.', LANGUAGE_NAMES),
    x1: corner('Left edge').optional(),
    y1: corner('Top edge').optional(),
    x2: corner('Right edge').optional(),
    y2: corner('Bottom edge').optional(),
    movieId: handle('Movie of the data, to which the script links.', 'bcdfghjk').optional(),
  },
  // The web client puts the address of the script together by hand.
  absentWords: true,
  edge: 'none',
  canonical: ({ sourceIds, startDate, endDate, lang, movieId, ...box }) => {
    const swapped = swappedTimes(startDate, endDate, ['startDate', 'endDate']);
    if (swapped) throw badParameter('endDate', 'a date after startDate', formatIso(endDate), swapped);
    const data = scienceData(sourceIds);
    if (data.searches.length === 0) {
      const sentence = 'The science data of these layers are in no archive that the script can search.';
      throw new Failure('unsupported', sentence, { parameter: 'sourceIds' });
    }
    return { data, startMs: startDate, endMs: endDate, lang, movieId, box: boxOf(box) };
  },
  handle: async ({ lang, movieId, ...request }, context) => {
    const { type, extension, write } = LANGUAGES[lang];
    const movieAddress = movieId === undefined ? null : `${serviceOrigin(context)}/v2/playMovie/?id=${movieId}&format=mp4`;
    const name = `helioviewer_${lang}_${fileStamp(request.startMs)}__${fileStamp(request.endMs)}.${extension}`;
    const headers = namedFile('attachment', name);
    return textReply(type, write({ ...request, movieAddress }), { policy: PRIVATE_COPY, headers });
  },
});
