// One record of the Heliophysics Event Knowledgebase: a flat object of many columns, most of them empty.
import { HONESTY } from '../instruments/header.ts';
import type { FeatureFinder } from './hek-finders.ts';
import { compactTime, plainTime, rounded } from './record-text.ts';
import type { SeenPosition, Sky } from './sky.ts';

export type HekRecord = Readonly<Record<string, unknown>>;
type Point = readonly [x: number, y: number];

const CONCEPTS = { AR: 'Active Region', CE: 'CME', CH: 'Coronal Hole', FI: 'Filament', FL: 'Flare', SS: 'Sunspot' } as const;
type HekType = keyof typeof CONCEPTS;

interface HekEvent {
  readonly type: HekType;
  readonly finder: FeatureFinder;
  /** Distinguishes records of one type, finder and time. */
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly peakMs?: number;
  /** The Sun at the instant of the position and the outline. */
  readonly sky: Sky;
  readonly position: SeenPosition;
  readonly outline?: readonly Point[];
  readonly title: string;
  /** Columns of this type of event. */
  readonly columns: HekRecord;
}

/** Columns that hold numbers, null when there is none. */
const NUMBERS = `absnetcurrenthelicity area_atdiskcenter area_atdiskcenteruncert area_raw area_uncert ar_axislength
ar_compactnesscls ar_neutrallength ar_noaanum ar_numspots ar_penumbracls ar_polarity ar_spotarearaw ar_spotarearawuncert
ar_spotarearepr ar_spotareareprunce ar_sumnegsignedflux ar_sumpossignedflux ar_zurichcls bound_ccnsteps cc_axislength
cme_accel cme_acceluncert cme_angularwidth cme_angularwidthunce cme_mass cme_massuncert cme_radiallinvel
cme_radiallinvelmax cme_radiallinvelmin cme_radiallinvelstddev cme_radiallinveluncert ef_aspectratio ef_onsetrate event_probability
fi_length fi_numbarbs fi_tilt fl_efoldtime fl_fluence fl_peakem fl_peakflux fl_peaktemp gs_galleryid gs_imageurl
intensmax intensmean intensmedian intensmin intenstotal intensvar maxmagfieldstrength meanmagfieldstrength
obs_meanwavel outflow_length rasterscale sigmoid_scs skel_curvature skel_nsteps sunspotshape unsignedflux`;

/** Columns that hold text, '' when there is none. */
const TEXTS = `area_unit ar_lengthunit ar_mcintoshcls ar_mtwilsoncls ar_noaaclass bound_chaincode bound_coordunit cme_accelunit
cme_angularwidthunit cme_massunit cme_radiallinvelunit chaincodetype event_c1error event_c2error event_clippedspatial
event_clippedtemporal event_maskurl event_mapurl event_npixels event_pixelunit event_expires event_importance
event_importance_num_ratings fi_barbsr fi_barbsl fi_chirality fi_lengthunit fl_goescls fl_halphaclass fl_fluenceunit
frm_daterun frm_paramset frm_specificid frm_versionnumber hrc_bbox hrc_boundcc hrc_coord intensunit kb_modified obs_channelid
obs_dataprepurl obs_firstprocessingdate obs_includesnrt obs_lastprocessingdate obs_levelnum obs_observatory obs_instrument
obs_title obs_wavelunit ogc_data rasterscaletype revision search_channelid search_frm_name search_instrument
search_observatory sequence_number skel_chaincode skel_startc1 skel_startc2 solar_event_id skel_coordunit`;

const columnsOf = (names: string, empty: null | '') => Object.fromEntries(names.split(/\s+/).map((name) => [name, empty]));
const EMPTY: HekRecord = { ...columnsOf(NUMBERS, null), ...columnsOf(TEXTS, '') };

const point = (x: number, y: number) => `POINT(${rounded(x, 4)} ${rounded(y, 4)})`;

/** A closed polygon as well-known text; '' for none. */
function polygon(points: readonly Point[]): string {
  const first = points[0];
  return first ? `POLYGON((${[...points, first].map(([x, y]) => `${rounded(x, 2)} ${rounded(y, 2)}`).join(',')}))` : '';
}

function boundingBox(points: readonly Point[]) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { east: Math.min(...xs), west: Math.max(...xs), south: Math.min(...ys), north: Math.max(...ys) };
}

export function hekRecord(event: HekEvent): HekRecord {
  const { type, finder, startMs, endMs, sky, position } = event;
  const outline = event.outline ?? [[position.x, position.y] as const];
  const { east, west, south, north } = boundingBox(outline);
  const [observatory, instrument, channel, wavelength, unit] = finder.observation;
  const id = `ivo://helioedge.sample/${type}_${finder.idName}_${compactTime(startMs)}_${event.key}`;
  return {
    ...EMPTY,
    active: 'true',
    concept: CONCEPTS[type],
    event_type: type,
    event_title: event.title,
    event_description: HONESTY,
    event_testflag: 'false',
    event_starttime: plainTime(startMs),
    event_endtime: plainTime(endMs),
    event_peaktime: event.peakMs === undefined ? null : plainTime(event.peakMs),
    event_coordsys: 'UTC-HPC-TOPO',
    event_coordunit: 'arcsec',
    event_coord1: rounded(position.x, 4),
    event_coord2: rounded(position.y, 4),
    event_coord3: null,
    event_score: '0',
    event_avg_rating: null,
    boundbox_c1ll: east,
    boundbox_c2ll: south,
    boundbox_c1ur: west,
    boundbox_c2ur: north,
    hpc_x: rounded(position.x, 4),
    hpc_y: rounded(position.y, 4),
    hpc_coord: point(position.x, position.y),
    hpc_bbox: polygon([
      [east, south],
      [west, south],
      [west, north],
      [east, north],
    ]),
    hpc_boundcc: event.outline ? polygon(event.outline) : '',
    hpc_geom: '',
    hpc_radius: rounded(Math.hypot(position.x, position.y), 4),
    hgs_x: rounded(position.stonyhurstDeg, 4),
    hgs_y: rounded(position.latitudeDeg, 4),
    hgs_coord: point(position.stonyhurstDeg, position.latitudeDeg),
    hgs_bbox: '',
    hgs_boundcc: '',
    hgc_x: rounded(position.carringtonDeg, 4),
    hgc_y: rounded(position.latitudeDeg, 4),
    hgc_coord: point(position.carringtonDeg, position.latitudeDeg),
    hgc_bbox: '',
    hgc_boundcc: '',
    hrc_r: rounded(Math.hypot(position.x, position.y) / sky.limbArcsec, 6),
    hrc_a: rounded(((Math.atan2(-position.x, position.y) * 180) / Math.PI + 360) % 360, 4),
    frm_name: finder.name,
    frm_institute: finder.institute,
    frm_contact: finder.contact,
    frm_url: finder.url,
    frm_identifier: finder.name,
    frm_humanflag: finder.humanflag,
    kb_archivid: id,
    kb_archivist: 'helioedge sample',
    kb_archivdate: plainTime(endMs),
    kb_archivurl: '',
    obs_observatory: observatory,
    obs_instrument: instrument,
    obs_channelid: channel,
    obs_meanwavel: wavelength,
    obs_wavelunit: unit,
    search_frm_name: finder.searchName,
    SOL_standard: solStandard(startMs, position),
    refs: [],
    refs_orig: [],
    ...event.columns,
  };
}

/** `SOL2024-05-10T00:00:00L082C110`: Carrington longitude and colatitude, the convention of IAU commission 10. */
function solStandard(startMs: number, position: SeenPosition): string {
  const degrees = (value: number) => String(Math.round(value)).padStart(3, '0');
  return `SOL${plainTime(startMs)}L${degrees(position.carringtonDeg)}C${degrees(90 - position.latitudeDeg)}`;
}
