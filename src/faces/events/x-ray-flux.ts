// getXrayFlux: the solar X-ray flux over a range, by which flares are classified.
import { z } from '@hono/zod-openapi';
import { type JsonBody, jsonBody, named, text, whole } from '../../platform/http/openapi/json-bodies.ts';
import { date } from '../../platform/http/parameters.ts';
import { jsonReply } from '../../platform/http/response.ts';
import { EVENT_MAX_AGE_SECONDS, XRAY_FLUX } from '../../platform/limits/events.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { checkOrder, dayStart, formatIso, isoDay } from '../../sun/time.ts';
import { operation } from '../services.ts';

const BAND = { instrument: 'GOES XRS', band: '0.1-0.8 nm', unit: 'W/m2' } as const;

const fluxBody = () =>
  named('XrayFlux', 'Solar X-ray flux in bins.', {
    instrument: text('Instrument.'),
    band: text('Wavelengths.'),
    unit: text('Unit of the peaks.'),
    startTime: text('Start of the first bin, ISO 8601.'),
    binSeconds: whole('Length of a bin.'),
    peaks: z
      .array(z.number().nullable())
      .describe('The highest one-minute mean of each bin; null for one without a measurement.'),
    missingDays: z.array(z.string()).describe('UTC days that the source did not deliver. Try again in a minute.'),
  });

const MOST_MS = XRAY_FLUX.days * DAY_MS;

export const getXrayFlux = operation({
  name: 'getXrayFlux',
  summary: 'Solar X-ray flux over time.',
  description:
    `The flux of the primary GOES satellite from 0.1 to 0.8 nm, of which 1e-4 W/m2 are an X1 flare, 1e-5 M1, 1e-6 C1, 1e-7 B1 and ` +
    `1e-8 A1. It begins in April 2010; a range has at most ${XRAY_FLUX.days} days. Bins have 1 to 20 minutes by the length of the range.`,
  tag: 'Events',
  responses: { 'application/json': jsonBody('The flux in bins.', fluxBody) },
  parameters: {
    startTime: date('Start of the range.'),
    endTime: date(`End of the range, at most ${XRAY_FLUX.days} days after its start.`),
  },
  edge: 'shared',
  canonical: ({ startTime, endTime }) => {
    checkOrder(startTime, endTime, ['startTime', 'endTime']);
    if (endTime - startTime > MOST_MS)
      throw badParameter('endTime', `a time at most ${XRAY_FLUX.days} days after startTime`, formatIso(endTime));
    return { startTime, endTime };
  },
  handle: async ({ startTime, endTime }, { services, stopwatch, waitUntil }) => {
    const { startMs, binMs, peaks, missingDays, isFresh } = await stopwatch.measure('read', () =>
      services.xrayFlux.between(startTime, endTime, waitUntil),
    );
    const isOver = dayStart(endTime) < dayStart(services.clock());
    const lifetime = !isFresh || missingDays.length > 0 ? 'incomplete' : isOver ? 'past' : 'today';
    const body: JsonBody<typeof fluxBody> = {
      ...BAND,
      startTime: formatIso(startMs),
      binSeconds: binMs / SECOND_MS,
      peaks,
      missingDays: missingDays.map(isoDay),
    };
    return jsonReply(body, { policy: `public, max-age=${EVENT_MAX_AGE_SECONDS[lifetime]}` });
  },
});
