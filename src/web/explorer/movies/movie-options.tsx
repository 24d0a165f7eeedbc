// The options of a new movie, which stay while the panel is closed: its times, number of images, speed and pixels.
import { signal } from '@preact/signals';
import { MOVIE_LIMITS } from '../../../config/limits/movies.ts';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';
import type { MovieOptions, PictureArea } from '../api/pictures.ts';
import { MOVIE_SIDES, movieArea, type PixelArea, PLAYBACKS, USUAL_PLAYBACK, USUAL_SIDE } from '../model/movie-form.ts';
import type { Range } from '../model/timeline.ts';
import { Check, Choice, SignalChoice, setter } from '../page/controls.tsx';
import { chosenArea } from '../panels/area.tsx';
import { useCatalogue } from '../panels/catalogue.ts';
import { baseImage, baseSourceId, camera, shown, sources } from '../store/state.ts';
import { hasCredit } from '../store/tools.ts';
import { fill, texts } from '../texts.ts';
import { RangeFields } from '../time/time-input.tsx';

const SPANS_MS = [HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 27 * DAY_MS];
const FRAMES = [24, 48, 96, 200, MOVIE_LIMITS.frames.most];
const words = texts.make;

const spanMs = signal(DAY_MS);
/** Times of its own; null for the span around the shown image. */
const ownRange = signal<Range | null>(null);
const frames = signal(48);
const playback = signal(USUAL_PLAYBACK);
const side = signal<number>(USUAL_SIDE);
const followsRotation = signal(false);

function newestMs(): number | null {
  if (shown.value?.isNewest && baseImage.value) return Date.parse(baseImage.value.takenAt);
  return sources.value?.find(({ sourceId }) => sourceId === baseSourceId.value)?.endMs ?? null;
}

export function movieRange(): Range | null {
  const atMs = shown.value?.view.atMs;
  if (ownRange.value || atMs === undefined) return ownRange.value;
  const endMs = Math.min(atMs + spanMs.value / 2, Math.max(newestMs() ?? Number.POSITIVE_INFINITY, atMs));
  return { startMs: endMs - spanMs.value, endMs };
}

export const movieOptions = (range: Range): MovieOptions => ({
  ...range,
  frames: frames.value,
  playback: PLAYBACKS[playback.value]!,
  followsRotation: followsRotation.value,
  hasCredit: hasCredit.value,
});

const pixelArea = ({ camera: { scale }, size }: PictureArea): PixelArea => ({ ...size, scale });

export function areaOfMovie(): PictureArea | null {
  const area = chosenArea();
  if (!area) return null;
  const { scale, ...size } = movieArea(pixelArea(area), side.value);
  return { camera: { ...area.camera, scale }, size };
}

const OWN = 0;

function Times() {
  const range = movieRange();
  if (!range) return null;
  const pick = (span: number) => {
    ownRange.value = span === OWN ? range : null;
    if (span !== OWN) spanMs.value = span;
  };
  return (
    <>
      <Choice
        label={words.span}
        value={ownRange.value ? OWN : spanMs.value}
        options={[...SPANS_MS.map((one) => [one, spanText(one)] as const), [OWN, words.ownRange]]}
        pick={pick}
      />
      <RangeFields name="movie" range={range} set={setter(ownRange)} />
    </>
  );
}

const spanText = (ms: number) =>
  ms < DAY_MS ? fill(words.spanHours, { count: ms / HOUR_MS }) : fill(words.spanDays, { count: ms / DAY_MS });

function playbackText(one: (typeof PLAYBACKS)[number]): string {
  return 'frameRate' in one ? fill(words.rateOf, { count: one.frameRate }) : fill(words.lengthOf, { count: one.movieLength });
}

export function MovieFields() {
  // The newest images of the sources.
  useCatalogue();
  // The pixels of the movie follow the shape of the view.
  const area = camera.value && chosenArea();
  const sideText = (longest: number) => {
    if (!area) return '';
    const { width, height } = movieArea(pixelArea(area), longest);
    return `${width} × ${height}`;
  };
  return (
    <>
      <Times />
      <div class="fields">
        <SignalChoice
          label={words.frames}
          of={frames}
          options={FRAMES.map((one) => [one, fill(words.framesOf, { count: one })] as const)}
        />
        <SignalChoice
          id="movie-speed"
          label={words.rate}
          of={playback}
          options={PLAYBACKS.map((one, i) => [i, playbackText(one)] as const)}
        />
        <SignalChoice
          id="movie-size"
          label={words.size}
          of={side}
          options={MOVIE_SIDES.map((one) => [one as number, sideText(one)] as const)}
        />
      </div>
      <Check label={words.follow} isOn={followsRotation.value} set={setter(followsRotation)} />
    </>
  );
}
