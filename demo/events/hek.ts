// The search of the Heliophysics Event Knowledgebase over the sample Sun: the columns that tell something, of five kinds of events.
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/platform/util/durations.ts';
import { RADIANS_PER_DEGREE as RAD } from '../../src/sun/coordinates/observer.ts';
import type { Point } from '../../src/sun/coordinates/rings.ts';
import { goesClass } from '../../src/sun/events/x-ray-flux.ts';
import { SOLAR_RADIUS_M } from '../../src/sun/geometry.ts';
import { HONESTY } from '../instruments/header.ts';
import * as sun from '../sun/features.ts';
import { hash } from '../sun/noise.ts';
import { SOLAR_RADIUS_KM } from '../sun/observer.ts';
import { spotsOf } from '../sun/photosphere.ts';
import { heatAt, type RegionNow, regionsNow } from '../sun/surface.ts';
import type { SeenPosition, Sky, SunPosition } from './sky.ts';
import { LONGEST_FLARE_MS, plainTime, rounded, skyAt, stepsBetween, windowOf } from './sky.ts';

type Columns = Readonly<Record<string, unknown>>;

interface Sight {
  readonly key: number;
  readonly at: SeenPosition;
  readonly title: string;
  readonly outline?: readonly Point[];
  readonly columns: Columns;
}

interface Finding extends Sight {
  readonly startMs: number;
  readonly endMs: number;
  readonly peakMs?: number;
  readonly sky: Sky;
}

/** A detection method, and the images in which it finds events. */
type Finder = readonly [
  ...[type: 'AR' | 'CE' | 'CH' | 'FI' | 'FL', concept: string, name: string, institute: string, url: string],
  images: readonly [observatory: string, instrument: string, channel: string, wavelength: number, unit: string],
  find: (fromMs: number, toMs: number) => readonly Finding[],
];

const SPOCA_STEP_MS = 4 * HOUR_MS;
/** Upper bound of the time in which an ejection crosses the field of C3. */
const LONGEST_CROSSING_MS = 2 * DAY_MS;

/** Sights on the disk once in each period of `stepMs`: at its start or, as those of SPoCA, at its end. */
const each = (stepMs: number, look: (sky: Sky) => readonly Sight[]) => (fromMs: number, toMs: number) =>
  stepsBetween(fromMs, toMs, stepMs).flatMap((startMs) => {
    const endMs = startMs + stepMs - SECOND_MS;
    const sky = skyAt(stepMs === DAY_MS ? startMs : endMs);
    return look(sky)
      .filter(({ at }) => at.visible)
      .map((sight): Finding => ({ ...sight, startMs, endMs, sky }));
  });

/** Points around a place; `reach`: degrees along each bearing, to the west and to the north. */
const around = ([longitude, latitude]: SunPosition, count: number, reach: (c: number, s: number) => SunPosition): SunPosition[] =>
  Array.from({ length: count }, (_, i) => {
    const bearing = (i / count) * 2 * Math.PI;
    const [west, north] = reach(Math.cos(bearing), Math.sin(bearing));
    return [longitude + west / Math.cos((latitude + north) * RAD), latitude + north];
  });

/** Class on Mount Wilson by the number of spots below which it holds. */
const MOUNT_WILSON = [
  [2, 'ALPHA'],
  [6, 'BETA'],
  [12, 'BETA-GAMMA'],
  [Number.POSITIVE_INFINITY, 'BETA-GAMMA-DELTA'],
] as const;

const numberedRegions = (sky: Sky): Sight[] =>
  regionsNow(sky.timeMs).flatMap((now): Sight[] => {
    const [spots, { region }] = [spotsOf(now), now];
    const millionths = spots.reduce((sum, { radiusDeg }) => sum + (1 - Math.cos(radiusDeg * RAD)) * 1e6, 0);
    const columns = {
      ar_noaanum: region.number,
      ar_numspots: spots.length,
      ar_mtwilsoncls: MOUNT_WILSON.find(([below]) => spots.length < below)![1],
      ar_spotarearepr: Math.round(millionths),
      area_unit: 'MSH',
    };
    return spots.length > 0 ? [{ key: region.number, at: sky.seeFeature(region), title: `AR ${region.number}`, columns }] : [];
  });

/** East-west elongation of the glow of a region. */
const LONG = Math.sqrt(1.6);

/** Degrees north of its centre at which the glow of a region falls to a quarter of a large one's; 0 for faint regions. */
function brightReachDeg(region: sun.ActiveRegion, timeMs: number): number {
  const peak = sun.regionStrength(region, timeMs) * Math.min(1, region.sizeDeg / 8);
  return peak <= 0.25 ? 0 : 0.75 * region.sizeDeg * Math.sqrt(2 * Math.log(peak / 0.25));
}

const brightRegions = (sky: Sky): Sight[] =>
  sun.regionsAt(sky.timeMs).flatMap((region): Sight[] => {
    const reach = brightReachDeg(region, sky.timeMs);
    if (reach === 0) return [];
    const edge = around([sun.longitudeAt(region, sky.timeMs), region.latitudeDeg], 24, (c, s) => [LONG * reach * c, reach * s]);
    const columns = spocaColumns('AR', region.number, Math.PI * LONG * (reach * RAD) ** 2);
    const [at, outline, title] = [sky.seeFeature(region), sky.outline(edge), `AR by SPoCA ${region.number}`];
    return [{ key: region.number, at, outline, title, columns }];
  });

/** @param area Squares of the solar radius */
const spocaColumns = (type: string, number: number, area: number): Columns => ({
  frm_specificid: `SPoCA_v1.0_${type}_${String(number).padStart(10, '0')}`,
  frm_versionnumber: '1.0',
  area_atdiskcenter: rounded(area * (SOLAR_RADIUS_M / 1e6) ** 2, 1),
  area_unit: 'Mm2',
});

/** Weight of the glow of active regions on the darkness of a hole, 1 at its centre and 0 at its edge, as drawn. */
const BRIGHTENING = 1.4;
const FOUND_FROM_DARKNESS = 0.4;

/** The place on the way from the centre of a hole to its edge up to which it is dark, which regions beside it shorten. */
function darkPart(regions: readonly RegionNow[], [l0, b0]: SunPosition, [l1, b1]: SunPosition): SunPosition {
  const at = (part: number): SunPosition => [l0 + (l1 - l0) * part, b0 + (b1 - b0) * part];
  let part = 0;
  while (part < 1 && 1 - part > BRIGHTENING * heatAt(regions, ...at(part))) part += 0.05;
  return at(part);
}

/** Holes below this area are not detected, squares of the solar radius. */
const LEAST_AREA = 0.01;

/** `area`: squares of the solar radius. */
type Hole = {
  readonly number: number;
  readonly centre: SunPosition;
  readonly edge: readonly SunPosition[];
  readonly area: number;
};

/** The holes all around the Sun: those of the pole with their centres on the Earth's meridian. */
export function holesOf(sky: Sky): Hole[] {
  const { timeMs } = sky;
  const regions = regionsNow(timeMs);
  const open = sun.holesAt(timeMs).flatMap((hole): Hole[] => {
    const centre = [sun.longitudeAt(hole, timeMs), hole.latitudeDeg] as const;
    if (1 - BRIGHTENING * heatAt(regions, ...centre) < FOUND_FROM_DARKNESS) return [];
    const edge = sun.holeOutline(hole, timeMs).map((end) => darkPart(regions, centre, end));
    const reaches = edge.map(([l, b]) => Math.hypot((l - centre[0]) * Math.cos(b * RAD), b - centre[1]) * RAD);
    const area = (Math.PI * reaches.reduce((sum, reach) => sum + reach ** 2, 0)) / reaches.length;
    const number = 10_000 + (hash(900, Math.round(hole.startMs / 1000)) % 90_000);
    return area > LEAST_AREA ? [{ number, centre, edge, area }] : [];
  });
  const [poleward, east] = [sun.polarHoleLatitudeDeg(timeMs), sky.view.observer.longitudeDeg];
  const polar = [1, -1].map(
    (side): Hole => ({
      number: side > 0 ? 1 : 2,
      centre: [east, (side * (poleward + 90)) / 2],
      edge: Array.from({ length: 36 }, (_, i) => [east + 10 * i, side * poleward] as const),
      area: 2 * Math.PI * (1 - Math.sin(poleward * RAD)),
    }),
  );
  return [...open, ...polar];
}

const coronalHoles = (sky: Sky): Sight[] =>
  holesOf(sky).map(({ number, centre, edge, area }) => ({
    key: number,
    at: sky.see(centre),
    outline: sky.outline(edge),
    title: `CH by SPoCA ${number}`,
    columns: spocaColumns('CH', number, area),
  }));

/** A lens along a filament, as wide as its drift and sway. */
function lensOf({ angleDeg, lengthDeg, latitudeDeg }: sun.Filament, longitude: number): SunPosition[] {
  const [c, s] = [Math.cos(angleDeg * RAD), Math.sin(angleDeg * RAD)];
  return around([longitude, latitudeDeg], 20, (cosine, sine) => {
    const [along, aside] = [(lengthDeg / 2) * cosine, 1.8 * sine];
    return [along * c - aside * s, along * s + aside * c];
  });
}

const filaments = (sky: Sky): Sight[] =>
  sun.filamentsAt(sky.timeMs).map((filament, key) => ({
    key,
    at: sky.seeFeature(filament),
    outline: sky.outline(lensOf(filament, sun.longitudeAt(filament, sky.timeMs))),
    title: 'Filament',
    columns: {
      fi_length: Math.round(filament.lengthDeg * RAD * SOLAR_RADIUS_M),
      fi_lengthunit: 'm',
      fi_tilt: rounded(filament.angleDeg, 1),
      fi_chirality: filament.latitudeDeg > 0 ? '-1' : '1',
    },
  }));

const flares = (fromMs: number, toMs: number): Finding[] =>
  sun.flaresBetween(fromMs - LONGEST_FLARE_MS, toMs + 1).map((flare): Finding => {
    const [sky, fl_goescls] = [skyAt(flare.peakMs), goesClass(flare.peakFlux)];
    const columns = { fl_goescls, fl_peakflux: flare.peakFlux, ar_noaanum: flare.regionNumber };
    const { startMs, endMs, peakMs, regionNumber: key } = flare;
    return { key, startMs, endMs, peakMs, sky, at: sky.seeFeature(flare), title: `${fl_goescls} flare`, columns };
  });

/** Solar radii from the Sun's centre, in the plane of the sky, at which CACTus first sees the front of an ejection. */
const FIRST_SEEN_RADII = 2.5;

/** An ejection from the instant at which its front, a bubble as wide as its opening, comes in sight; marked at its outermost point. */
function ejection(cme: sun.Cme): Finding {
  const start = skyAt(cme.startMs);
  const from = start.seeFeature(cme);
  const [west, north] = [from.x / start.view.limbPixels, from.y / start.view.limbPixels];
  const away = Math.max(1e-6, Math.hypot(west, north));
  const opening = Math.sin(cme.halfWidthDeg * RAD);
  const risesKm = Math.max(0, (FIRST_SEEN_RADII * (1 + opening)) / (away + opening) - 1.1) * SOLAR_RADIUS_KM;
  const startMs = cme.startMs + Math.round(risesKm / cme.speedKmPerS) * SECOND_MS;
  const sky = skyAt(startMs);
  const arcsec = FIRST_SEEN_RADII * sky.view.limbPixels;
  return {
    key: cme.regionNumber,
    startMs,
    endMs: cme.endMs,
    sky,
    at: { ...from, x: (west / away) * arcsec, y: (north / away) * arcsec, visible: true },
    title: 'CME',
    columns: {
      cme_radiallinvel: cme.speedKmPerS,
      cme_radiallinvelstddev: Math.round(cme.speedKmPerS * 0.1),
      cme_radiallinvelunit: 'km/s',
      // Motion along the line of sight makes a halo.
      cme_angularwidth: away < 0.35 ? 360 : Math.round(2 * cme.halfWidthDeg),
      cme_angularwidthunit: 'degrees',
    },
  };
}

const ejections = (fromMs: number, toMs: number) => sun.cmesBetween(fromMs - LONGEST_CROSSING_MS, toMs + 1).map(ejection);

const SPOCA_URL = 'http://sdoatsidc.oma.be/web/sdoatsidc/SoftwareSPoCA';
// biome-ignore format: a table
const FINDERS: readonly Finder[] = [
  ['AR', 'Active Region', 'NOAA SWPC Observer', 'NOAA SWPC', 'N/A', ['SDO', 'HMI', 'continuum', 6173, 'Angstrom'], each(DAY_MS, numberedRegions)],
  ['AR', 'Active Region', 'SPoCA', 'ROB', SPOCA_URL, ['SDO', 'AIA', '171 193', 1.71e-6, 'cm'], each(SPOCA_STEP_MS, brightRegions)],
  ['CE', 'CME', 'CACTus (Computer Aided CME Tracking)', 'SIDC', 'http://sidc.oma.be/cactus', ['SOHO', 'LASCO', 'C2', 5600, 'Angstrom'], ejections],
  ['CH', 'Coronal Hole', 'SPoCA', 'ROB', SPOCA_URL, ['SDO', 'AIA', '193', 1.93e-6, 'cm'], each(SPOCA_STEP_MS, coronalHoles)],
  ['FI', 'Filament', 'AAFDCC', 'NJIT', 'http://www.bbso.njit.edu', ['BBSO', 'Full Disk Camera', 'H alpha', 6562.8, 'Angstrom'], each(DAY_MS, filaments)],
  ['FL', 'Flare', 'SWPC', 'SWPC', 'https://www.swpc.noaa.gov/', ['GOES', 'GOES', 'XRS', 4.5, 'Angstrom'], flares],
];

const polygon = (points: readonly Point[]) =>
  `POLYGON((${[...points, points[0]!].map(([x, y]) => `${rounded(x, 2)} ${rounded(y, 2)}`).join(',')}))`;

function hekRecord([type, concept, name, institute, url, images]: Finder, finding: Finding): Columns {
  const { at, startMs, endMs, peakMs, outline } = finding;
  const [obs_observatory, obs_instrument, obs_channelid, obs_meanwavel, obs_wavelunit] = images;
  const id = [type, name.replace(/ \(.*|\W/g, ''), plainTime(startMs).replace(/[-:]/g, '').replace('T', '_'), finding.key].join(
    '_',
  );
  const [hpc_x, hpc_y, hgs_x, hgs_y] = [at.x, at.y, at.stonyhurstDeg, at.latitudeDeg].map((value) => rounded(value, 4));
  return {
    ...{ concept, event_type: type, event_title: finding.title, event_description: HONESTY, event_testflag: 'false' },
    event_starttime: plainTime(startMs),
    event_endtime: plainTime(endMs),
    event_peaktime: peakMs === undefined ? null : plainTime(peakMs),
    ...{ event_coordsys: 'UTC-HPC-TOPO', event_coordunit: 'arcsec', hpc_x, hpc_y, hgs_x, hgs_y },
    hpc_boundcc: outline ? polygon(outline) : '',
    ...{ frm_name: name, frm_institute: institute, frm_contact: 'helioedge sample', frm_url: url, frm_specificid: '' },
    ...{ kb_archivid: `ivo://helioedge.sample/${id}`, kb_archivist: 'helioedge sample', kb_archivdate: plainTime(endMs) },
    ...{ obs_observatory, obs_instrument, obs_channelid, obs_meanwavel, obs_wavelunit, refs: [] },
    ...finding.columns,
  };
}

const sortKey = (record: Columns) => `${record.event_starttime} ${record.kb_archivid}`;

/** A page of the records that overlap the window of a query, sorted by time and id, and whether there are more. Null for an invalid window. */
export function searchHek(query: URLSearchParams): { readonly result: readonly Columns[]; readonly overmax: boolean } | null {
  const window = windowOf(query, 'event_starttime', 'event_endtime');
  if (!window) return null;
  const [fromMs, toMs] = window;
  const found = FINDERS.flatMap((finder) =>
    finder[6](fromMs, toMs)
      .filter(({ at, startMs, endMs }) => at.visible && startMs <= toMs && startMs < endMs && endMs >= fromMs)
      .map((finding) => hekRecord(finder, finding)),
  ).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const [length, page] = ['result_limit', 'page'].map((name, i) => Number(query.get(name)) || [200, 1][i]!);
  const [from, columns] = [(page! - 1) * length!, query.get('return')?.split(',')];
  const result = found.slice(from, from + length!);
  const chosen = (record: Columns) => Object.fromEntries(Object.entries(record).filter(([name]) => columns!.includes(name)));
  return { result: columns ? result.map(chosen) : result, overmax: found.length > from + length! };
}
