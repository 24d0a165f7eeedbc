// Screenshots and movies of a view.
import { pathOf } from '../../../clients/typescript/core.ts';
import type { Body, Schemas } from '../../../clients/typescript/operations.ts';
import { drawnLayers, printEventLayers } from '../../picture/address/view.ts';
import { printProjection } from '../../picture/projection.ts';
import { formatIso } from '../../sun/time.ts';
import { indicatorFor } from '../model/movie-form.ts';
import { bodyParameters } from '../model/readout.ts';
import type { Viewport } from '../picture/geometry.ts';
import type { Shown } from '../store/state.ts';
import { call } from './request.ts';

/** A view with its images, the lowest of which was taken by the observer of the bodies. */
type Pictured = Pick<Shown, 'view' | 'images'>;

export const placeOf = ({ camera, size }: Viewport) => ({
  imageScale: Number(camera.scale.toFixed(6)),
  x0: Number(camera.x.toFixed(3)),
  y0: Number(camera.y.toFixed(3)),
  width: Math.round(size.width),
  height: Math.round(size.height),
});

/** Parameters of a picture or a movie of an area of a view. */
export function sceneOf({ view, images }: Pictured, area: Viewport) {
  const base = images.find((image) => image !== null);
  return {
    ...drawnLayers(view.layers),
    ...placeOf(area),
    events: printEventLayers(view.events),
    eventsLabels: view.events.length > 0,
    scale: view.overlays.scale,
    scaleType: indicatorFor(area),
    grid: view.overlays.grid,
    projection: printProjection(view.projection),
    ...(view.overlays.bodies && base ? bodyParameters(base.name) : {}),
  };
}

export const picturePath = (
  { atMs, layers, projection }: Pick<Shown['view'], 'atMs' | 'layers' | 'projection'>,
  area: Viewport,
): string =>
  pathOf('takeScreenshot', {
    date: formatIso(atMs),
    ...drawnLayers(layers),
    ...placeOf(area),
    projection: printProjection(projection),
    watermark: false,
    display: true,
  });

export function screenshotPath(pictured: Pictured, area: Viewport): string {
  const date = formatIso(pictured.view.atMs);
  return pathOf('takeScreenshot', { date, ...sceneOf(pictured, area), display: true });
}

type Verbose = Required<Pick<Schemas['UnfinishedMovie'], 'imageScale' | 'layers' | 'events' | 'x1' | 'y1' | 'x2' | 'y2'>>;
type InState<Name extends keyof Schemas> = Partial<Omit<Schemas[Name], 'status' | keyof Verbose>>;
/** 0 queued, 1 running, 2 finished, 3 failed. */
type State = { readonly status: Body<'getMovieStatus'>['status'] };

export type MovieStatus = State &
  Readonly<Verbose & InState<'UnfinishedMovie'> & InState<'FinishedMovie'> & InState<'InvalidMovie'>>;

/** Longest wait for a change, seconds; the service answers at once when something has changed. */
const WAIT_SECONDS = 20;

/** @throws as `call`; ServiceError also for a movie that does not exist */
export const movieStatus = (id: string, waits: boolean, signal: AbortSignal): Promise<MovieStatus> =>
  call<'getMovieStatus', Body<'getMovieStatus'> & Verbose>(
    'getMovieStatus',
    { id, format: 'mp4', verbose: true, wait: waits ? WAIT_SECONDS : undefined },
    signal,
  );

export const moviePath = (id: string, format: 'mp4' | 'webm') => pathOf('downloadMovie', { id, format });
