// Levels: the bytes of an image as they are stored, for images whose bytes have no known physical values.
import type { ConfirmedLaw } from './gate.ts';
import type { ByteLaw } from './law.ts';

/** The identity in place of a law: a byte is its own value, within half a level. */
export const LEVELS: ConfirmedLaw = {
  law: {
    name: 'levels',
    unit: 'level',
    transfer: { kind: 'linear' },
    grid: { kind: 'rounded' },
    lo: 0,
    hi: 255,
    noDataByte: null,
    belowByte: null,
    aboveByte: null,
    least: null,
    greatest: null,
  },
  status: 'exact',
  lossy: null,
  disc: null,
  caveats: [
    'Levels of the images as they are stored, from 0 to 255, and not physical values: of images with the same scaling alone, they say what is brighter.',
  ],
  figures: [],
};

/** Whether values are levels. */
export const isLevels = ({ name }: Pick<ByteLaw, 'name'>): boolean => name === LEVELS.law.name;
