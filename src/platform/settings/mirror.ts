import { CHOICE_FORM, parseChoice } from '../../sun/catalogue/chosen-sources.ts';
import { parseWrittenDate } from '../../sun/time.ts';
import { MIRROR_REQUESTS } from '../limits/mirror.ts';
import { Failure } from '../util/errors.ts';
import { httpBase, list, optional, readBy, readVariables, type Variables, wholeNumber } from './variable.ts';

export const MIRROR_VARIABLES = {
  MIRROR_TREE_URL: {
    type: optional(httpBase()),
    description: 'Folder in the layout of the archive, with index pages, with which the clock keeps the archive in step.',
    unset: 'none',
  },
  MIRROR_API_URL: {
    type: optional(httpBase()),
    description: 'API of Helioviewer, such as `https://api.helioviewer.org/v2`, in place of MIRROR_TREE_URL. Both are refused.',
    unset: 'none',
  },
  MIRROR_SOURCES: {
    type: list(readBy(parseChoice, CHOICE_FORM), CHOICE_FORM).default([]),
    unit: 'source ids separated by commas, `10:300` for one image in 300 seconds',
    description: 'Sources that the clock mirrors.',
  },
  MIRROR_FROM: {
    type: optional(readBy(parseWrittenDate, 'a UTC date such as 2024-05-10')),
    description: 'Begin of what the clock mirrors, of sources that are new.',
    unset: 'a day before the first step',
  },
  MIRROR_PER_SECOND: {
    type: wholeNumber(1, MIRROR_REQUESTS.maxPerSecond).default(5),
    description: 'Requests a second to the mirrored archive.',
  },
} as const satisfies Variables;

/** Null unless an upstream and sources are set. @throws Failure that names the variable and what it has to be */
export function readMirrorSettings(env: object) {
  const settings = readVariables(MIRROR_VARIABLES, env);
  const { MIRROR_TREE_URL: treeUrl, MIRROR_API_URL: apiUrl, MIRROR_SOURCES: sources } = settings;
  if (treeUrl !== null && apiUrl !== null) {
    const sentence = 'MIRROR_TREE_URL and MIRROR_API_URL are both set. Unset one, and mirror it with `npm run mirror`.';
    throw new Failure('internal', sentence);
  }
  const address = treeUrl ?? apiUrl;
  if (address === null || sources.length === 0) return null;
  const { MIRROR_FROM: fromMs, MIRROR_PER_SECOND: perSecond } = settings;
  return { kind: treeUrl === null ? ('api' as const) : ('tree' as const), address, sources, fromMs, perSecond };
}
