// An IDL script that downloads science data with SolarSoft: from the Virtual Solar Observatory, or cut-outs of SDO from LMSAL.
import { formatDateTime } from '../time.ts';
import { commentLines, headLines, type LayerSearch, type ScriptRequest } from './script.ts';

/** An IDL string literal: an apostrophe is doubled, and no other character is special. Control characters are left out. */
function literal(text: string): string {
  return `'${text.replace(/\p{Cc}/gu, ' ').replaceAll("'", "''")}'`;
}

const isSdo = ({ instrument }: LayerSearch) => instrument === 'AIA' || instrument === 'HMI';

/** Data that the VSO has; SUVI and EUI have archives of their own, which SolarSoft does not search. */
const isInVso = ({ level, soarProduct }: LayerSearch) => level === undefined && soarProduct === undefined;

function vsoSearch(search: LayerSearch): string {
  const { label, source, instrument, detector, wavelengthAngstrom, observable, note } = search;
  const keywords = [
    source === undefined ? null : `source=${literal(source)}`,
    `instr=${literal(instrument.toLowerCase())}`,
    detector === undefined ? null : `detector=${literal(detector)}`,
    wavelengthAngstrom === undefined ? null : `wave=${literal(`${wavelengthAngstrom} Angstrom`)}`,
    observable === undefined ? null : `physobs=${literal(observable)}`,
  ];
  const folder = literal(`science-data/${label.replaceAll(' ', '_')}`);
  return [
    `; ${label}`,
    ...(note === undefined ? [] : [`; ${note}`]),
    `found = vso_search(tstart, tend, ${keywords.filter((keyword) => keyword !== null).join(', ')})`,
    `if size(found, /type) eq 8 then status = vso_get(found, out_dir=${folder}) else print, ${literal(`${label}: no files`)}`,
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
    `  waves = [${searches.map((search) => literal(cutoutName(search))).join(', ')}]`,
    '  ssw_cutout_service, tstart, tend, query, info, ref_time=tstart, xcen=xcen, ycen=ycen, fovx=fovx, fovy=fovy, $',
    "    waves=strjoin(waves, ','), instrument='aia', email=email, max_frames=1000",
    'endif else begin',
    indented(wholeDisk).trimEnd(),
    'endelse',
    '',
  ].join('\n');
}

/** A main program for IDL with SolarSoft and its package vso. */
export function idlScript(request: ScriptRequest): string {
  const { data, startMs, endMs, box } = request;
  const known = data.searches.filter(isInVso);
  const elsewhere = data.searches.filter((search) => !isInVso(search)).map(({ label }) => label);
  const head = commentLines([...headLines(request), '', 'Needs IDL with SolarSoft and its package vso.'], ';');
  const time = (ms: number) => literal(formatDateTime(ms).replaceAll('-', '/'));
  const ofSdo = known.filter(isSdo);
  const sections = [
    ...(ofSdo.length > 0 ? [sdo(ofSdo, box)] : []),
    ...known.filter((search) => !isSdo(search)).map(vsoSearch),
    ...elsewhere.map((label) => `; ${label}: its archive cannot be searched from SolarSoft; use the Python script.\n`),
  ];
  return `${head}\n\ntstart = ${time(startMs)}\ntend = ${time(endMs)}\n\n${sections.join('\n')}\nend\n`;
}
