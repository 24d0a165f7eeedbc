// Texts from a catalogue. It has the keys of the English one; a text that it lacks is shown in English. `{name}` is a parameter, and texts
// of a `{count}` have plural forms.

import { isoDay } from '../../../domain/time.ts';
import type { Note } from '../../../picture/address/view.ts';
import { RECIPE_LIMITS } from '../../../picture/limits.ts';
import type { TimeUnit } from '../../../picture/operations/difference.ts';
import type { ColourRange } from '../../../picture/operations/range.ts';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';
import type { ImageRecord } from '../api/image-record.ts';
import english from './en.json' with { type: 'json' };
import { type Language, type PartOf, translated } from './languages.ts';
import { imageTime, utc } from './times.ts';

type Catalogue = typeof english;
export type Translation = PartOf<Catalogue>;

/** Forms of a text by the number of things. `zero` replaces the form that the language has for none. */
interface Forms {
  readonly zero?: string;
  readonly one: string;
  readonly other: string;
}

type Values = Readonly<Record<string, string | number>>;

export const fill = (text: string, values: Values) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

/** The texts of a language as strings, and as functions where they have parameters. */
export function textsOf(language: Language, translation: Translation) {
  const all = translated(english, translation);
  const { notes, durations, failures, time, timeline, layers, events, make, movie, about } = all;
  const rules = new Intl.PluralRules(language);
  const counted = ({ zero, ...forms }: Forms, count: number, values: Values = {}) => {
    const form = rules.select(count) === 'one' ? forms.one : forms.other;
    return fill(count === 0 && zero !== undefined ? zero : form, { ...values, count });
  };
  const of = (text: string) => (name: string) => fill(text, { name });
  /** A number as the language writes it. */
  const decimal = (text: string) => (language === 'en' ? text : text.replace('.', ','));
  const numbers = (digits: number) =>
    new Intl.NumberFormat(language, { maximumSignificantDigits: Math.min(digits, 21), useGrouping: false });
  return {
    ...all,
    counted,
    decimal,
    durations: {
      year: (count: number) => counted(durations.year, count),
      day: (count: number) => counted(durations.day, count),
      ago: (duration: string) => fill(durations.ago, { duration }),
      earlier: (duration: string) => fill(durations.earlier, { duration }),
      later: (duration: string) => fill(durations.later, { duration }),
    },
    /** A number with at most so many significant digits; very small ones with a power of ten. */
    number: (value: number, digits: number) => {
      const [, mantissa, exponent] = /^(.+)e-(\d+)$/.exec(value.toExponential(Math.min(digits, 3) - 1)) ?? [];
      if (exponent === undefined || Number(exponent) < 3) return numbers(digits).format(value);
      const power = [...exponent].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
      return `${decimal(String(Number(mantissa)))} × 10⁻${power}`;
    },
    shows: (image: ImageRecord) => fill(all.shows, { name: image.name, time: imageTime(image) }),
    stillShown: (image: ImageRecord) => fill(all.stillShown, { name: image.name, time: imageTime(image) }),
    sample: (done: number, total: number) => fill(all.sample, { done, total }),
    failures: {
      ...failures,
      status: (status: number) => fill(failures.status, { status }),
      tiles: (count: number) => counted(failures.tiles, count),
      eventSources: (names: readonly string[]) => fill(failures.eventSources, { names: names.join(', ') }),
    },
    note: (note: Note) => {
      const isIgnored = note.kind === 'unknown-source' && !note.instead;
      return fill(notes[isIgnored ? 'unknown-source-ignored' : note.kind], { ...note, most: RECIPE_LIMITS.layers });
    },
    far: (name: string, distance: string) => fill(all.far, { name, distance }),
    apart: (angle: number, name: string) => fill(all.apart, { angle, name }),
    noImage: of(all.noImage),
    time: {
      ...time,
      badDate: (given: string) => fill(time.badDate, { given }),
      understood: (moment: string) => fill(time.understood, { time: moment }),
      perSecond: (frames: number) => fill(time.perSecond, { frames }),
      local: (text: string) => fill(time.local, { text }),
      carrington: (rotation: number, longitude: number) => fill(time.carrington, { rotation, longitude: longitude.toFixed(1) }),
    },
    timeline: {
      ...timeline,
      value: (atMs: number, span: string) => fill(timeline.value, { time: utc(atMs), span }),
      /** Times as text; `peak`: null for an event without one. */
      event: (name: string, start: string, end: string, peak: string | null) =>
        peak === null ? fill(timeline.event, { name, start, end }) : fill(timeline.eventWithPeak, { name, start, end, peak }),
      countedEvents: (name: string, count: number, span: string) => counted(timeline.countedEvents, count, { name, span }),
      flux: (flareClass: string, value: string) => fill(timeline.flux, { class: flareClass, value }),
      moreEvents: (count: number) => counted(timeline.moreEvents, count),
      image: (name: string, at: string) => fill(timeline.image, { name, time: at }),
      images: (name: string, count: number, span: string) => counted(timeline.images, count, { name, span }),
      signs: { ...timeline.signs, imagesOf: of(timeline.signs.imagesOf) },
    },
    layers: {
      ...layers,
      found: (count: number) => counted(layers.found, count),
      range: (startMs: number, endMs: number) => fill(layers.range, { start: isoDay(startMs), end: isoDay(endMs) }),
      full: fill(layers.full, { most: RECIPE_LIMITS.layers }),
      hide: of(layers.hide),
      show: of(layers.show),
      up: of(layers.up),
      down: of(layers.down),
      remove: of(layers.remove),
      opacity: (percent: number) => fill(layers.opacity, { percent }),
      colours: {
        ...layers.colours,
        range: ({ low, high, gamma }: ColourRange) => fill(layers.colours.range, { low, high, gamma: decimal(String(gamma)) }),
        low: (level: number) => fill(layers.colours.low, { level }),
        high: (level: number) => fill(layers.colours.high, { level }),
        gamma: (gamma: number) => fill(layers.colours.gamma, { gamma: decimal(String(gamma)) }),
      },
      running: (count: number, unit: TimeUnit) => counted(layers.running[unit], count),
      base: (atMs: number) => fill(layers.base, { time: utc(atMs) }),
      ratio: (atMs: number) => fill(layers.ratio, { time: utc(atMs) }),
    },
    events: {
      ...events,
      /** The name of a type of events in this language, else the given one. */
      typeName: (pin: string, name = pin) => (events.names as Readonly<Record<string, string>>)[pin] ?? name,
      previousOf: of(events.previousOf),
      nextOf: of(events.nextOf),
      noneNear: (days: string) => fill(events.noneNear, { days }),
      listed: (count: number) => counted(events.listed, count),
      moreReports: (count: number) => counted(events.moreReports, count),
      source: (name: string, state: 'ok' | 'stale' | 'failed', count: number) =>
        state === 'failed' ? fill(events.sourceFailed, { name }) : counted(events.source, count, { name }),
      loaded: (age: string, isStale: boolean) => fill(isStale ? events.loadedStale : events.loaded, { age }),
    },
    calendar: {
      ...all.calendar,
      note: of(all.calendar.note),
      images: (day: string, count: number) => counted(all.calendar.images, count, { day }),
    },
    projection: {
      ...all.projection,
      turned: (longitude: string, latitude: string) => fill(all.projection.turned, { longitude, latitude }),
    },
    make: {
      ...make,
      regionSize: (width: string, height: string) => fill(make.regionSize, { width, height }),
      pixels: (width: number, height: number) => fill(make.pixels, { width, height }),
      spanOf: (ms: number) =>
        ms < DAY_MS ? fill(make.spanHours, { count: ms / HOUR_MS }) : fill(make.spanDays, { count: ms / DAY_MS }),
      framesOf: (count: number) => fill(make.framesOf, { count }),
      rateOf: (count: number) => fill(make.rateOf, { count }),
      lengthOf: (count: number) => fill(make.lengthOf, { count }),
      estimate: (frames: number, seconds: number, width: number, height: number) =>
        fill(make.estimate, { frames, seconds: decimal(seconds.toFixed(1)), width, height }),
      expected: (eta: string, ahead: number) => counted(make.expected, ahead, { eta }),
      waiting: (ahead: number, eta: string) => fill(make.waiting, { place: ahead + 1, eta }),
      running: (frame: number, frames: number, eta: string) => fill(make.running, { frame, frames, eta }),
      movieOf: of(make.movieOf),
      forget: of(make.forget),
    },
    movie: {
      ...movie,
      imagesOf: (count: number, interval: string) => fill(movie.imagesOf, { count, interval }),
      lengthOf: (seconds: number, rate: number) =>
        fill(movie.lengthOf, { seconds: decimal(seconds.toFixed(1)), rate: decimal(String(rate)) }),
      areaOf: (size: string, x: string, y: string) => fill(movie.areaOf, { size, x, y }),
      scaleOf: (scale: number) => fill(movie.scaleOf, { scale: decimal(scale.toPrecision(3)) }),
    },
    about: {
      ...about,
      image: ({ width, height }: ImageRecord) => fill(about.image, { width, height }),
      distance: (distance: string) => fill(about.distance, { distance }),
    },
    /** Description of the content of a picture, by the longest beginning of the name of its source. */
    aboutSource: (name: string): string => {
      const [known] = Object.entries(all.sources)
        .filter(([start]) => name.startsWith(start))
        .sort(([a], [b]) => b.length - a.length);
      return known?.[1] ?? all.unknownSource;
    },
  };
}

export type Texts = ReturnType<typeof textsOf>;
