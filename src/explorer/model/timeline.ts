// What the timeline shows: X-ray flux, events in rows by type, and images of layers, with what is there at a time.
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { FLUX_CLASSES, type FluxBins } from '../../sun/events/x-ray-flux.ts';
import type { DayEvent } from './highlights.ts';

export type Range = { readonly startMs: number; readonly endMs: number };

type Bin = { readonly startMs: number; readonly count: number };

export interface LayerCoverage {
  readonly sourceId: number;
  /** Ascending, without gaps between them; single images for short ranges. */
  readonly bins: readonly Bin[];
  /** Milliseconds; 0 for single images. */
  readonly binMs: number;
  /** Where the images have been counted; null before. */
  readonly known: Range | null;
}

/** A stretch of the rows of events: an event, or a bin, which has no label. */
export interface EventMarker extends DayEvent {
  /** Events of a bin; null for a single event. */
  readonly count: number | null;
  /** From 0 to 1: the number of events of a bin against the fullest one of its type; 1 for single events. */
  readonly weight: number;
}

export type MarkerRow = { readonly pin: string; readonly lanes: readonly (readonly EventMarker[])[] };

/** Lanes that can be told apart; further events share the one that is free first. */
const MOST_LANES = 3;

function lanesOf(markers: readonly EventMarker[]): EventMarker[][] {
  const lanes: EventMarker[][] = [];
  const ends: number[] = [];
  for (const marker of [...markers].sort((a, b) => a.startMs - b.startMs)) {
    const free = ends.findIndex((endMs) => endMs <= marker.startMs);
    const soonest = ends.indexOf(Math.min(...ends));
    const lane = free >= 0 ? free : lanes.length < MOST_LANES ? lanes.length : soonest;
    lanes[lane] = [...(lanes[lane] ?? []), marker];
    ends[lane] = Math.max(ends[lane] ?? marker.endMs, marker.endMs);
  }
  return lanes;
}

export function markerRows(markers: readonly EventMarker[], pins: readonly string[]): MarkerRow[] {
  return pins.map((pin) => ({ pin, lanes: lanesOf(markers.filter((marker) => marker.pin === pin)) }));
}

/** When to look at an event: its peak, else its start; the middle of a bin. */
function momentOf({ peakMs, startMs, endMs, count }: EventMarker): number {
  return count === null ? (peakMs ?? startMs) : (startMs + endMs) / 2;
}

/** Peak flux of a flare, W/m2; 0 for another event. */
const fluxOf = ({ strength }: EventMarker) => (strength?.unit === 'W/m2' ? strength.value : 0);

/** Events in progress at a time, or within `reachMs` of it: the strongest flares first, then those whose moment is nearest. */
export function markersAt(markers: readonly EventMarker[], atMs: number, reachMs: number): EventMarker[] {
  const distance = (marker: EventMarker) => Math.abs(momentOf(marker) - atMs);
  return markers
    .filter(({ startMs, endMs, count }) => {
      const reach = count === null ? reachMs : 0;
      return startMs - reach <= atMs && (count === null ? atMs <= endMs + reach : atMs < endMs);
    })
    .sort((a, b) => fluxOf(b) - fluxOf(a) || distance(a) - distance(b));
}

/** Shortest step from event to event, so that a step leaves the event that is shown. */
const LEAST_STEP_MS = 1000;

export function nextMoment(markers: readonly EventMarker[], atMs: number, direction: -1 | 1): number | null {
  const beyond = markers.map(momentOf).filter((ms) => (ms - atMs) * direction >= LEAST_STEP_MS);
  if (beyond.length === 0) return null;
  return direction > 0 ? Math.min(...beyond) : Math.max(...beyond);
}

/** The bin that a time is in; null beyond the bins. Months and years differ in length, so that a bin ends where the next one begins. */
function binAt({ bins, binMs }: LayerCoverage, atMs: number): Bin | null {
  const at = binMs > 0 ? bins.findLastIndex(({ startMs }) => startMs <= atMs) : -1;
  const bin = bins[at];
  return bin && atMs < (bins[at + 1]?.startMs ?? bin.startMs + binMs) ? bin : null;
}

/**
 * The images of a layer with those that the page shows, so that the timeline never has a gap under a shown image: its counts may be some
 * time old, or still be those of another range.
 */
export function withShownImages(layer: LayerCoverage, takenAtMs: readonly number[]): LayerCoverage {
  const { binMs } = layer;
  const bins = new Map(layer.bins.map((bin) => [bin.startMs, bin]));
  const first = layer.bins[0]?.startMs ?? 0;
  for (const ms of takenAtMs) {
    const beyond = binMs > 0 ? first + Math.floor((ms - first) / binMs) * binMs : ms;
    const startMs = binAt(layer, ms)?.startMs ?? beyond;
    if ((bins.get(startMs)?.count ?? 0) === 0) bins.set(startMs, { startMs, count: 1 });
  }
  return { ...layer, bins: [...bins.values()].sort((a, b) => a.startMs - b.startMs) };
}

/** What a layer has at a time: the number of images of its bin, or the nearest single image within `reachMs`; null before they are counted. */
export function imagesAt(layer: LayerCoverage, atMs: number, reachMs: number): { count: number } | { atMs: number } | null {
  const { bins, binMs, known } = layer;
  const distance = ({ startMs }: Bin) => Math.abs(startMs - atMs);
  const bin = binAt(layer, atMs);
  if (bin) return { count: bin.count };
  const near = binMs > 0 ? [] : bins.filter((one) => one.count > 0 && distance(one) <= reachMs);
  const [nearest] = near.sort((a, b) => distance(a) - distance(b));
  if (nearest) return { atMs: nearest.startMs };
  return known && atMs >= known.startMs && atMs <= known.endMs ? { count: 0 } : null;
}

/** The flux of the bin that a time is in, W/m2; null without a measurement. */
export function fluxAt({ startMs, binMs, peaks }: FluxBins, atMs: number): number | null {
  return peaks[Math.floor((atMs - startMs) / binMs)] ?? null;
}

const [[, LEAST_FLUX]] = FLUX_CLASSES;

/** Height of a flux on an axis on which each class has a part of the same height: 0 for A1, 1 for X10, at most. */
export const fluxHeight = (flux: number): number => Math.min(Math.max(Math.log10(flux / LEAST_FLUX) / FLUX_CLASSES.length, 0), 1);

/** The line of the measured stretches. `at`: the place of a flux, null for one that is not shown. */
export function fluxPath({ startMs, binMs, peaks }: FluxBins, at: (ms: number, flux: number) => string | null): string {
  const points = peaks.map((flux, bin) => (flux === null ? null : at(startMs + (bin + 0.5) * binMs, flux)));
  return points.map((point, i) => point && `${points[i - 1] ? 'L' : 'M'}${point}`).join('');
}

/**
 * The classified flares of a range, the strongest first, one of each class and minute: several sources report the same flare. `text`: `X2.1`.
 */
export function flareMarks(markers: readonly EventMarker[], { startMs, endMs }: Range) {
  const marks = markers
    .map((marker) => ({ id: marker.id, atMs: momentOf(marker), text: marker.strength?.text ?? '', flux: fluxOf(marker) }))
    .filter(({ flux, atMs }) => flux > 0 && atMs >= startMs && atMs <= endMs);
  const ofMinutes = Map.groupBy(marks, ({ text, atMs }) => `${text} ${Math.floor(atMs / MINUTE_MS)}`);
  return [...ofMinutes.values()].map(([first]) => first!).sort((a, b) => b.flux - a.flux);
}
