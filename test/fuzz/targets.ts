// Fuzz targets by name.
import { boxesTarget } from './boxes.ts';
import { coefficientsTarget } from './coefficients.ts';
import { decodeTarget } from './decode.ts';
import { ephemerisTarget } from './ephemeris.ts';
import { eventsTarget } from './events.ts';
import { feedTarget } from './feed.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { jpipTarget } from './jpip.ts';
import { requestsTarget } from './requests.ts';
import { sidecarTarget } from './sidecar.ts';
import { xmlTarget } from './xml.ts';

export const FUZZ_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  decode: decodeTarget,
  boxes: boxesTarget,
  coefficients: coefficientsTarget,
  ephemeris: ephemerisTarget,
  events: eventsTarget,
  feed: feedTarget,
  jpip: jpipTarget,
  requests: requestsTarget,
  sidecar: sidecarTarget,
  xml: xmlTarget,
};
