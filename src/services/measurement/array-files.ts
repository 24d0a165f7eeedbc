// Files of the array of an image, and what all files of measurements say of themselves. Cards of FITS: unit, coordinates and history of the array, and the cards of the original.
import type { ArchivedImage } from '../../domain/image.ts';
import type { ByteLaw } from '../../domain/measurement/law.ts';
import { provenanceText, type UsedImage } from '../../domain/provenance.ts';
import { typedValues, type Wcs } from '../../domain/wcs.ts';
import { encodeFits, encodeNpy, type FitsCard } from '../../imaging/encode/fits.ts';
import { fitsNote, pngNote, svgNote } from '../../imaging/encode/notes.ts';
import type { ImageArray } from './image-arrays.ts';

/** Keywords of the original that describe its array: structure, compression, scaling, extremes and coordinates. The file has its own. */
const OF_THE_ORIGINAL_ARRAY = new RegExp(
  `^(${[
    'SIMPLE|XTENSION|BITPIX|NAXIS\\d*|EXTEND|PCOUNT|GCOUNT|GROUPS|END|EXTNAME|INHERIT|CHECKSUM|DATASUM|CONTINUE|LONGSTRN',
    'BSCALE|BZERO|BLANK|BUNIT|DATAMIN|DATAMAX|TFIELDS|T(TYPE|FORM|UNIT|DIM|NULL)\\d+|THEAP|Z(NAXIS|TILE|NAME|VAL)\\d+',
    'Z(IMAGE|CMPTYPE|BITPIX|NAXIS|PCOUNT|GCOUNT|TENSION|SIMPLE|HECKSUM|DATASUM|QUANTIZ|DITHER0|BLANK|SCALE|ZERO)',
    'WCSAXES|WCSNAME|C(TYPE|UNIT|RPIX|DELT|RVAL|ROTA)\\d*|PC\\d_\\d|CD\\d_\\d|LONPOLE|LATPOLE',
  ].join('|')})$`,
);

const shown = (value: number) => String(Number(value.toPrecision(6)));

/** The forward law in words and formulas. */
export function lawText({ name, transfer, grid, lo, hi, unit }: ByteLaw): string {
  const { quantity, of } =
    transfer.kind === 'linear'
      ? { quantity: 'v', of: 'of v' }
      : transfer.kind === 'log'
        ? { quantity: 'log v', of: 'of v' }
        : {
            quantity: `((v - ${shown(transfer.offset)}) / ${shown(transfer.scale)})^${shown(transfer.exponent)}`,
            of: transfer.ofRoot ? 'of f' : 'of v',
          };
  const bytes = {
    truncated: 'byte = floor(255.9999 t)',
    rounded: 'byte = round(255 t)',
    stretched:
      grid.kind === 'stretched' ? `s = floor(255.9999 t), byte = floor(1 + 254 (s - ${grid.s0}) / (${grid.s1 - grid.s0}))` : '',
  }[grid.kind];
  const position = 't = (f - f(lo)) / (f(hi) - f(lo))';
  return `Law ${name}: f = ${quantity}, ${position}, ${bytes}, lo = ${shown(lo)}, hi = ${shown(hi)} ${of}, v in ${unit}.`;
}

export function historyOf({ confirmed, grid, pixels }: ImageArray): string[] {
  const { factor, left, below } = grid;
  const blocks =
    factor === 1
      ? []
      : [`Each is the mean of ${factor} x ${factor} pixels${confirmed ? ', taken after they were inverted' : ''}.`];
  const place = `The lower left pixel is ${left + 1}, ${below + 1} of the image.`;
  if (!confirmed) return ['Bytes of a JPEG 2000 image, no physical values.', ...blocks, place];
  const { law, status, lossy, figures, caveats } = confirmed;
  const noNumber = factor === 1 ? 'NaN' : 'NaN, as the mean of each block with such a pixel';
  return [
    `Values inverted from the bytes of a JPEG 2000 image by a law that is ${status}.`,
    lawText(law),
    ...figures.map(({ gate, stated, found }) => `Gate ${gate}: ${shown(stated)} by the header, ${shown(found)} by the pixels.`),
    ...(lossy
      ? [`The compression changes 95 % of the pixels by at most ${lossy.pixel} levels.`]
      : ['The compression is lossless.']),
    `Pixels of the region: ${pixels.measured} with a value, ${pixels.below} below and ${pixels.above} above the scale, ` +
      `${pixels.noData} without data. All but the first are ${noNumber}.`,
    ...blocks,
    place,
    ...caveats,
  ];
}

export function wcsCards({ ctype, cunit, crpix, cdelt, crval, pc, pv = [], lonpole, latpole }: Wcs): FitsCard[] {
  const axes = [0, 1] as const;
  return [
    { keyword: 'WCSAXES', value: 2 },
    ...axes.flatMap((axis) => [
      { keyword: `CTYPE${axis + 1}`, value: ctype[axis] },
      { keyword: `CUNIT${axis + 1}`, value: cunit[axis] },
      { keyword: `CRPIX${axis + 1}`, value: crpix[axis] },
      { keyword: `CDELT${axis + 1}`, value: cdelt[axis] },
      { keyword: `CRVAL${axis + 1}`, value: crval[axis] },
      ...axes.map((other) => ({ keyword: `PC${axis + 1}_${other + 1}`, value: pc[axis][other] })),
    ]),
    ...pv.map((value, m) => ({ keyword: `PV2_${m}`, value })),
    { keyword: 'LONPOLE', value: lonpole },
    { keyword: 'LATPOLE', value: latpole },
  ];
}

/** All cards of an array after the mandatory ones. */
function arrayCards(image: ArchivedImage, array: ImageArray): FitsCard[] {
  const { header, wcs, confirmed } = array;
  const dated = wcs?.dateObs && !header.fits.has('DATE-OBS') ? [{ keyword: 'DATE-OBS', value: wcs.dateObs }] : [];
  const original = Object.entries(typedValues(header.fits))
    .filter(([keyword]) => !OF_THE_ORIGINAL_ARRAY.test(keyword))
    .map(([keyword, value]) => ({ keyword, value }));
  const isCommentary = ({ keyword }: FitsCard) => keyword === 'HISTORY' || keyword === 'COMMENT';
  return [
    ...(confirmed ? [{ keyword: 'BUNIT', value: confirmed.law.unit }] : []),
    ...(wcs ? wcsCards(wcs) : []),
    ...dated,
    ...original.filter((card) => !isCommentary(card)),
    ...original.filter(isCommentary),
    ...[`Image ${image.id}, ${image.fileName}.`, ...historyOf(array)].map((value) => ({ keyword: 'HISTORY', value })),
  ];
}

export const ARRAY_FILES = {
  fits: (image: ArchivedImage, array: ImageArray) => encodeFits(array, arrayCards(image, array)),
  npy: (_: ArchivedImage, array: ImageArray) => encodeNpy(array),
} as const;

type Images = readonly { readonly image: UsedImage | null }[];

const NOTE = {
  fits: fitsNote,
  png: pngNote,
  svg: (file: Uint8Array, text: string) => new TextEncoder().encode(svgNote(new TextDecoder().decode(file), text)),
} as const;
type Noted = keyof typeof NOTE;

const textOf = (address: string, items: Images) =>
  provenanceText(
    address,
    items.flatMap(({ image }) => image ?? []),
  );

export const noted = async (type: Noted, file: Uint8Array, address: string, items: Images): Promise<Uint8Array> =>
  NOTE[type](file, await textOf(address, items));

/** A FITS file whose first piece is its header. */
export async function* notedFits(pieces: AsyncIterable<Uint8Array>, address: string, items: Images): AsyncGenerator<Uint8Array> {
  let text: string | null = await textOf(address, items);
  for await (const piece of pieces) {
    yield text === null ? piece : fitsNote(piece, text);
    text = null;
  }
}
