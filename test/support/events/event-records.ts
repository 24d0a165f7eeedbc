// Invented records in the formats of the sources.

import type { SolarEvent } from '../../../src/sun/events/solar-event.ts';
export const DAY = '2014-01-01';
export const NOON = Date.UTC(2014, 0, 1, 12);

type Columns = Readonly<Record<string, unknown>>;

/** A record of the HEK with the columns common to all types; many are null or empty. */
export function hekRecord(columns: Columns = {}): Columns {
  return {
    absnetcurrenthelicity: null,
    active: 'true',
    area_atdiskcenter: null,
    area_unit: 'km2',
    ar_mcintoshcls: '',
    ar_mtwilsoncls: '',
    ar_neutrallength: null,
    ar_noaanum: null,
    event_type: 'AR',
    event_starttime: `${DAY}T00:00:00`,
    event_endtime: `${DAY}T23:59:59`,
    event_peaktime: null,
    event_coordsys: 'UTC-HGS-TOPO',
    event_testflag: 'false',
    frm_name: 'NOAA SWPC Observer',
    frm_institute: 'NOAA SWPC',
    frm_contact: 'observer@sun.test',
    frm_url: 'http://sun.test/method',
    frm_specificid: 'run-7',
    frm_versionnumber: '1.0',
    hpc_x: -123.4,
    hpc_y: -250.1,
    hpc_boundcc: '',
    kb_archivid: 'ivo://sun.test/AR_1',
    kb_archivist: 'Tester',
    obs_observatory: 'GOES',
    obs_channelid: '',
    refs: [{ ref_name: 'Edition', ref_type: 'html', ref_url: 'http://sun.test/edition' }],
    ...columns,
  };
}

/** A DONKI CME with two analyses, one of them with a model run. */
export function cmeRecord(columns: Columns = {}): Columns {
  return {
    activityID: '2014-01-01T06:00:00-CME-001',
    catalog: 'M2M_CATALOG',
    startTime: '2014-01-01T06:00Z',
    sourceLocation: 'S07W101',
    activeRegionNum: 11936,
    link: 'https://donki.test/view/CME/1',
    note: 'Seen in the south-west.',
    instruments: [{ displayName: 'SOHO: LASCO/C2' }, { displayName: 'STEREO A: SECCHI/COR2' }],
    cmeAnalyses: [
      { isMostAccurate: false, latitude: 1, longitude: 2, speed: 900, type: 'C', halfAngle: 30, levelOfData: 0, enlilList: null },
      {
        isMostAccurate: true,
        time21_5: '2014-01-01T08:00Z',
        latitude: -10,
        longitude: 95,
        halfAngle: 42,
        speed: 1000,
        type: 'O',
        levelOfData: 1,
        link: 'https://donki.test/analysis/2',
        enlilList: [
          {
            modelCompletionTime: '2014-01-01T12:00Z',
            au: 2.0,
            estimatedShockArrivalTime: '2014-01-03T00:00Z',
            estimatedDuration: null,
            rmin_re: 5.9,
            kp_18: null,
            kp_90: 4,
            kp_135: 5,
            kp_180: 6,
            isEarthGB: true,
            link: 'https://donki.test/model/1',
            impactList: [{ location: 'Mars', arrivalTime: '2014-01-04T10:00Z', isGlancingBlow: false }],
          },
        ],
      },
    ],
    linkedEvents: [{ activityID: '2014-01-01T05:50:00-FLR-001' }],
    ...columns,
  };
}

export function flareRecord(columns: Columns = {}): Columns {
  return {
    flrID: '2014-01-01T11:30:00-FLR-001',
    instruments: [{ displayName: 'GOES15: SEM/XRS 1.0-8.0' }],
    beginTime: '2014-01-01T11:30Z',
    peakTime: '2014-01-01T11:52Z',
    endTime: '2014-01-01T12:30Z',
    classType: 'M9.9',
    sourceLocation: 'S16W45',
    activeRegionNum: 11936,
    link: 'https://donki.test/view/FLR/1',
    ...columns,
  };
}

const COLUMNS = [
  ['start_window', null],
  ['end_window', null],
  ['issue_time', null],
  ['C', '-1.0'],
  ['M', '-1.0'],
  ['CPlus', '-1.0'],
  ['MPlus', '-1.0'],
  ['X', '-1.0'],
  ['NOAARegionId', '-1'],
  ['NOAALocationTime', null],
  ['NOAALatitude', '999'],
  ['NOAALongitude', '999'],
  ['CataniaRegionId', '-1'],
  ['CataniaLocationTime', null],
  ['CataniaLatitude', '999'],
  ['CataniaLongitude', '999'],
  ['ModelRegionId', '-1'],
  ['ModelLocationTime', null],
  ['ModelLatitude', '999'],
  ['ModelLongitude', '999'],
  ['HARPRegionId', '-1'],
  ['HARPLocationTime', null],
  ['HARPLatitude', '999'],
  ['HARPLongitude', '999'],
] as const;

const PREDICTION: Columns = {
  start_window: `${DAY}T00:00:00.0`,
  end_window: '2014-01-02T00:00:00.0',
  issue_time: '2013-12-31T23:30:00.0',
  CPlus: 0.8,
  MPlus: 0.05,
  X: 0.0123,
  NOAARegionId: 11936,
  NOAALocationTime: '2013-12-31T22:00:00.0',
  NOAALatitude: -16,
  NOAALongitude: 40,
};

/** A HAPI response; each row is a typical prediction with the given columns replaced. */
export function predictions(...rows: readonly Columns[]): Columns {
  return {
    HAPI: '2.0',
    status: { code: 1200, message: 'OK' },
    parameters: COLUMNS.map(([name, fill]) => ({ name, type: 'string', fill })),
    data: rows.map((row) => COLUMNS.map(([name, fill]) => ({ ...PREDICTION, ...row })[name] ?? fill)),
  };
}

export const RHESSI_HEADER = 'id,start,peak,end,peakrate,totalcounts,xloc,yloc,hi_band,dsun,ntime,nen,link';

export function rhessiLine(overrides: Readonly<Record<string, string>> = {}): string {
  const row: Record<string, string> = {
    id: '14010105',
    start: '2014-01-01 11:40:00',
    peak: '2014-01-01 11:52:04',
    end: '2014-01-01 12:20:00',
    peakrate: '1500',
    totalcounts: '2.5e6',
    xloc: '655',
    yloc: '-225',
    hi_band: '25-50',
    dsun: '0.983',
    ntime: '12',
    nen: '5',
    link: '2014/01/01/14010105/',
    ...overrides,
  };
  return RHESSI_HEADER.split(',')
    .map((name) => row[name])
    .join(',');
}

/** A flare of an hour in the middle of the disk. */
export const flareAt = (startMs: number, fields: Partial<SolarEvent>): SolarEvent => ({
  source: 'HEK',
  pin: 'FL',
  type: 'FL',
  group: { name: 'SWPC', contact: '', url: '' },
  id: 'ivo://flares/1',
  version: '',
  label: 'M1.2',
  shortLabel: 'M1.2',
  startMs,
  endMs: startMs + 3_600_000,
  peakMs: startMs + 1000,
  position: { kind: 'helioprojective', x: 0, y: 0, atMs: startMs },
  outlines: [],
  link: null,
  views: () => [],
  raw: {},
  ...fields,
});
