// HEK records with outlines, and the rule by which the official web client places them.
import { LEVEL_0_SCALE } from '../../../src/picture/grids/pixel-grid.ts';
import { DAY, hekRecord } from './event-records.ts';

export type Points = readonly (readonly [x: number, y: number])[];

export const ringText = (points: Points) => `(${[...points, points[0]!].map(([x, y]) => `${x} ${y}`).join(',')})`;
export const polygonText = (points: Points) => `POLYGON(${ringText(points)})`;

/** A coronal hole in the form of a U, whose centre is outside of it. SPoCA measures at the end of an event. */
export const HOLE: Points = [
  [-200, 300],
  [-140, 300],
  [-140, 120],
  [60, 120],
  [60, 300],
  [120, 300],
  [120, 60],
  [-200, 60],
];

/** A filament, narrow and inclined. */
export const FILAMENT: Points = [
  [-420, -310],
  [-300, -250],
  [-180, -230],
  [-182, -222],
  [-304, -240],
  [-424, -300],
];

export const HOLE_ID = 'ivo://helio-informatics.org/CH_SPoCA_20140101_120000';
export const FILAMENT_ID = 'ivo://helio-informatics.org/FI_AAFDCC_20140101_100000';

export const coronalHole = (columns: Readonly<Record<string, unknown>> = {}) =>
  hekRecord({
    event_type: 'CH',
    kb_archivid: HOLE_ID,
    frm_name: 'SPoCA',
    event_starttime: `${DAY}T08:00:00`,
    event_endtime: `${DAY}T12:00:00`,
    hpc_x: -40,
    hpc_y: 180,
    hpc_boundcc: polygonText(HOLE),
    ...columns,
  });

export const filament = (columns: Readonly<Record<string, unknown>> = {}) =>
  hekRecord({
    event_type: 'FI',
    kb_archivid: FILAMENT_ID,
    frm_name: 'AAFDCC',
    event_starttime: `${DAY}T10:00:00`,
    hpc_x: -300,
    hpc_y: -245,
    hpc_boundcc: polygonText(FILAMENT),
    ...columns,
  });

export interface OutlinedRecord {
  readonly id: string;
  readonly hpc_boundcc: string;
  readonly hv_hpc_x: number;
  readonly hv_hpc_y: number;
  readonly hv_poly_hpc_x_ul_scaled_norot: number;
  readonly hv_poly_hpc_y_ul_scaled_norot: number;
  readonly hv_poly_hpc_x_final: number;
  readonly hv_poly_hpc_y_final: number;
  readonly hv_poly_width_max_zoom_pixels: number;
  readonly hv_poly_height_max_zoom_pixels: number;
  readonly hv_marker_offset_x: number;
  readonly hv_marker_offset_y: number;
  readonly hv_poly_url: string;
  readonly footprint_ring: readonly { readonly x: number; readonly y: number }[];
}

/** Pixels of the client's view, from the centre of the Sun, y down: the box of the picture, and the tip of the pin. */
export function clientView(record: OutlinedRecord, imageScale: number) {
  const zoom = LEVEL_0_SCALE / imageScale;
  const box = {
    x: record.hv_poly_hpc_x_final / imageScale,
    y: record.hv_poly_hpc_y_final / imageScale,
    width: record.hv_poly_width_max_zoom_pixels * zoom,
    height: record.hv_poly_height_max_zoom_pixels * zoom,
  };
  return {
    box,
    pin: {
      x: box.x + box.width / 2 + record.hv_marker_offset_x * zoom,
      y: box.y + box.height / 2 + record.hv_marker_offset_y * zoom,
    },
  };
}

/** The pin in arcseconds, y to the NORTH. */
export function pinOf(record: OutlinedRecord): readonly [x: number, y: number] {
  const { pin } = clientView(record, 1);
  return [pin.x, -pin.y];
}

/** Whether a point is inside rings by the even-odd rule: the parity of edges that a ray to the west crosses. */
export function isInside([x, y]: readonly [x: number, y: number], rings: readonly Points[]): boolean {
  let inside = false;
  for (const ring of rings)
    for (let i = 0, before = ring.length - 1; i < ring.length; before = i++) {
      const [a, b] = [ring[before]!, ring[i]!];
      if (a[1] > y !== b[1] > y && a[0] + ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) > x) inside = !inside;
    }
  return inside;
}
