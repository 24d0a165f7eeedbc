// getSciDataScript: a request for a script that downloads science data, and the scripts in SSW IDL and Python.
import { layerLabel } from '../../picture/layers.ts';
import { choice, date, decimal, handle } from '../../platform/http/parameters.ts';
import { namedFile, PRIVATE_COPY, textReply } from '../../platform/http/response.ts';
import { Failure } from '../../platform/util/errors.ts';
import type { ScienceSearch } from '../../sun/catalogue/datasource.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { checkOrder, fileStamp, formatDateTime, formatIso } from '../../sun/time.ts';
import { operation, serviceOrigin } from '../services.ts';
import { sourceList } from './source-parameters.ts';

/** The search for the data of a layer. All texts are constants or names of the catalogue. */
interface LayerSearch extends ScienceSearch {
  /** Name of the layer, `SDO AIA 171`. */
  readonly label: string;
}

/** The searches for the data of layers, each once, and the names of layers for which none is known. */
export function scienceData(sourceIds: readonly number[]) {
  const searches = new Map<string, LayerSearch>();
  const unknown: string[] = [];
  for (const source of sourceIds.map(findSource).filter((found) => found !== undefined)) {
    const label = layerLabel({ sourceId: source.id });
    if (source.search) searches.set(label, { label, ...source.search });
    else unknown.push(label);
  }
  return { searches: [...searches.values()], unknown };
}

/** Box of the view in arcseconds from disk centre, x to the west, y DOWN, to the south. */
type ScriptBox = Readonly<Record<'x1' | 'y1' | 'x2' | 'y2', number>>;

interface ScriptRequest {
  readonly startMs: number;
  readonly endMs: number;
  readonly data: ReturnType<typeof scienceData>;
  /** Null: the whole disk. */
  readonly box: ScriptBox | null;
  /** Page of the movie that shows the data; null without one. An http address. */
  readonly movieAddress: string | null;
}

/** Lines at the top of a script, without the sign of a comment. */
function headLines({ data, movieAddress }: ScriptRequest): string[] {
  return [
    'Science data of a view of the Sun.',
    ...(movieAddress === null ? [] : [`Movie: ${movieAddress}`]),
    '',
    'Layers:',
    ...data.searches.map(({ label }) => `  ${label}`),
    ...(data.unknown.length > 0 ? ['', 'Layers whose data no archive of this script has:'] : []),
    ...data.unknown.map((label) => `  ${label}`),
  ];
}

/** Lines as comments. Control characters are replaced, because a line break would end the comment. */
const commentLines = (lines: readonly string[], sign: '#' | ';'): string =>
  lines.map((line) => `${sign} ${line.replace(/\p{Cc}/gu, ' ')}`.trimEnd()).join('\n');

/** An IDL string literal: an apostrophe is doubled, and no other character is special. Control characters are left out. */
const idlText = (text: string): string => `'${text.replace(/\p{Cc}/gu, ' ').replaceAll("'", "''")}'`;

const isSdo = ({ instrument }: LayerSearch) => instrument === 'AIA' || instrument === 'HMI';

/** Data that the VSO has; SUVI and EUI have archives of their own, which SolarSoft does not search. */
const isInVso = ({ level, soarProduct }: LayerSearch) => level === undefined && soarProduct === undefined;

function vsoSearch(search: LayerSearch): string {
  const { label, source, instrument, detector, wavelengthAngstrom, observable, note } = search;
  const keywords = [
    source === undefined ? null : `source=${idlText(source)}`,
    `instr=${idlText(instrument.toLowerCase())}`,
    detector === undefined ? null : `detector=${idlText(detector)}`,
    wavelengthAngstrom === undefined ? null : `wave=${idlText(`${wavelengthAngstrom} Angstrom`)}`,
    observable === undefined ? null : `physobs=${idlText(observable)}`,
  ];
  const folder = idlText(`science-data/${label.replaceAll(' ', '_')}`);
  return [
    `; ${label}`,
    ...(note === undefined ? [] : [`; ${note}`]),
    `found = vso_search(tstart, tend, ${keywords.filter((keyword) => keyword !== null).join(', ')})`,
    `if size(found, /type) eq 8 then status = vso_get(found, out_dir=${folder}) else print, ${idlText(`${label}: no files`)}`,
    '',
  ].join('\n');
}

/** Names of a layer of SDO in the cut-out service. */
function cutoutName({ wavelengthAngstrom, observable }: LayerSearch): string {
  if (wavelengthAngstrom !== undefined) return String(wavelengthAngstrom);
  return observable === 'LOS_magnetic_field' ? 'mag' : 'cont';
}

const tenth = (value: number) => (Math.round(value * 10) / 10).toFixed(1);

/** Layers of SDO: cut-outs where the user enters an address for the notice, else whole images. */
function sdo(searches: readonly LayerSearch[], box: ScriptRequest['box']): string {
  const wholeDisk = searches.map(vsoSearch).join('\n');
  if (box === null) return wholeDisk;
  const { x1, x2, y1, y2 } = box;
  const indented = (text: string) => text.replace(/^(?=.)/gm, '  ');
  return [
    '; The cut-out service of LMSAL sends a notice by e-mail when the files of SDO are ready.',
    "email = ''",
    "read, email, prompt='E-mail address for cut-outs of the view (empty: whole images): '",
    "if email ne '' then begin",
    `  xcen = ${tenth((x1 + x2) / 2)} & ycen = ${tenth(-(y1 + y2) / 2)}`,
    `  fovx = ${tenth(Math.abs(x2 - x1))} & fovy = ${tenth(Math.abs(y2 - y1))}`,
    `  waves = [${searches.map((search) => idlText(cutoutName(search))).join(', ')}]`,
    '  ssw_cutout_service, tstart, tend, query, info, ref_time=tstart, xcen=xcen, ycen=ycen, fovx=fovx, fovy=fovy, $',
    "    waves=strjoin(waves, ','), instrument='aia', email=email, max_frames=1000",
    'endif else begin',
    indented(wholeDisk).trimEnd(),
    'endelse',
    '',
  ].join('\n');
}

/** A main program for IDL with SolarSoft and its package vso. */
function idlScript(request: ScriptRequest): string {
  const { data, startMs, endMs, box } = request;
  const known = data.searches.filter(isInVso);
  const elsewhere = data.searches.filter((search) => !isInVso(search)).map(({ label }) => label);
  const head = commentLines([...headLines(request), '', 'Needs IDL with SolarSoft and its package vso.'], ';');
  const time = (ms: number) => idlText(formatDateTime(ms).replaceAll('-', '/'));
  const ofSdo = known.filter(isSdo);
  const sections = [
    ...(ofSdo.length > 0 ? [sdo(ofSdo, box)] : []),
    ...known.filter((search) => !isSdo(search)).map(vsoSearch),
    ...elsewhere.map((label) => `; ${label}: its archive cannot be searched from SolarSoft; use the Python script.\n`),
  ];
  return `${head}\n\ntstart = ${time(startMs)}\ntend = ${time(endMs)}\n\n${sections.join('\n')}\nend\n`;
}

/** A Python string literal: JSON strings of ASCII characters are Python literals with the same value. */
const pythonText = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

function conditions(search: LayerSearch): string {
  const { source, instrument, detector, wavelengthAngstrom, observable, level, soarProduct } = search;
  const parts = [
    source === undefined ? null : `a.Source(${pythonText(source)})`,
    `a.Instrument(${pythonText(instrument)})`,
    detector === undefined ? null : `a.Detector(${pythonText(detector)})`,
    wavelengthAngstrom === undefined ? null : `a.Wavelength(${wavelengthAngstrom} * u.angstrom)`,
    observable === undefined ? null : `a.Physobs(${pythonText(observable)})`,
    level === undefined ? null : `a.Level(${level})`,
    soarProduct === undefined ? null : `a.soar.Product(${pythonText(soarProduct)})`,
  ];
  return parts.filter((part) => part !== null).join(' & ');
}

function entry(search: LayerSearch): string {
  const note = search.note === undefined ? '' : `    # ${search.note}\n`;
  return `${note}    ${pythonText(search.label)}: ${conditions(search)},\n`;
}

const MAIN = `

def main():
    for layer, conditions in SEARCHES.items():
        search = conditions if CADENCE is None else conditions & a.Sample(CADENCE)
        found = Fido.search(TIME, search)
        print(f"{layer}: {found.file_num} files")
        if found.file_num > 0:
            Fido.fetch(found, path=str(FOLDER / layer.replace(" ", "_") / "{file}"))


if __name__ == "__main__":
    main()
`;

/** Only archives with data in a fixed cadence, such as the VSO, know samples. */
const CADENCE =
  '# Interval between files, for example 5 * u.minute for one in five minutes; None downloads all.\nCADENCE = None\n';

/** A script for Python 3.9 or later with SunPy 4 or later. */
export function pythonScript(request: ScriptRequest): string {
  const { data, startMs, endMs } = request;
  const usesSoar = data.searches.some(({ soarProduct }) => soarProduct !== undefined);
  const packages = `"sunpy[net]"${usesSoar ? ' sunpy-soar' : ''}`;
  const lines = [...headLines(request), '', `Needs Python 3 and SunPy: python3 -m pip install ${packages}`];
  const head = commentLines(lines, '#');
  const times = [startMs, endMs].map((ms) => pythonText(formatIso(ms).slice(0, -1))).join(', ');
  const searches = `SEARCHES = {\n${data.searches.map(entry).join('')}}\n`;
  const imports = [
    'from pathlib import Path',
    '',
    'import astropy.units as u',
    ...(usesSoar ? ['import sunpy_soar  # registers the Solar Orbiter Archive'] : []),
    'from sunpy.net import Fido',
    'from sunpy.net import attrs as a',
  ];
  const settings = `TIME = a.Time(${times})\nFOLDER = Path("science-data")\n${CADENCE}`;
  return `#!/usr/bin/env python3\n${head}\n${imports.join('\n')}\n\n${settings}\n${searches}${MAIN}`;
}

const LANGUAGES = {
  sswidl: { type: 'text/x-rsiidl-src; charset=utf-8', extension: 'pro', write: idlScript },
  sunpy: { type: 'text/x-script.python; charset=utf-8', extension: 'py', write: pythonScript },
} as const;

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
    lang: choice('Language of the script.', ['sswidl', 'sunpy'] as const),
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
    checkOrder(startDate, endDate, ['startDate', 'endDate']);
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
