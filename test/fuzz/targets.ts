// Fuzz targets by name.
import { annuliTarget } from './annuli.ts';
import { boxesReplay, boxesTarget } from './boxes.ts';
import { coefficientsTarget } from './coefficients.ts';
import { decodeReplay, decodeTarget } from './decode.ts';
import { deflateTarget } from './encode/deflate.ts';
import { ephemerisTarget } from './ephemeris.ts';
import { eventsTarget } from './events.ts';
import { feedTarget } from './feed.ts';
import type { FuzzReplay, FuzzTarget } from './fuzzer.ts';
import { growthTarget } from './growth/target.ts';
import { jpipReplay, jpipTarget } from './jpip.ts';
import { requestsReplay, requestsTarget } from './requests.ts';
import { sidecarReplay, sidecarTarget } from './sidecar.ts';
import { xmlReplay, xmlTarget } from './xml.ts';

export const FUZZ_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  annuli: annuliTarget,
  decode: decodeTarget,
  boxes: boxesTarget,
  coefficients: coefficientsTarget,
  deflate: deflateTarget,
  ephemeris: ephemerisTarget,
  events: eventsTarget,
  feed: feedTarget,
  growth: growthTarget,
  jpip: jpipTarget,
  requests: requestsTarget,
  sidecar: sidecarTarget,
  xml: xmlTarget,
};

/** Targets that run by their names alone, because they measure time, and visit all of their fields in about 20 seconds. */
export const ALONE: readonly string[] = ['growth'];

/** Targets with a corpus: inputs found by fuzzing, in a folder each of `corpus/`. */
export const FUZZ_REPLAYS: Readonly<Record<string, FuzzReplay>> = {
  decode: decodeReplay,
  boxes: boxesReplay,
  jpip: jpipReplay,
  requests: requestsReplay,
  sidecar: sidecarReplay,
  xml: xmlReplay,
};
