// Statuses of HAPI 3.2 (section 4). Values of a request are not repeated in messages, as section 5.2 asks.
import { Failure } from '../../platform/util/errors.ts';

export const HAPI_VERSION = '3.2';

const MESSAGES = {
  1200: 'OK',
  1201: 'OK - no data for time range',
  1400: 'HAPI error 1400: user input error',
  1401: 'HAPI error 1401: unknown API parameter name',
  1402: 'HAPI error 1402: syntax error in start time',
  1403: 'HAPI error 1403: syntax error in stop time',
  1404: 'HAPI error 1404: start equal to or after stop',
  1405: 'HAPI error 1405: start < startDate and/or stop > stopDate',
  1406: 'HAPI error 1406: unknown dataset id',
  1407: 'HAPI error 1407: unknown dataset parameter',
  1408: 'HAPI error 1408: too much time or data requested',
  1409: 'HAPI error 1409: unsupported output format',
  1410: 'HAPI error 1410: unsupported include value',
  1411: 'HAPI error 1411: out-of-order or duplicate parameters',
  1412: 'HAPI error 1412: unsupported resolve_references value',
  1413: 'HAPI error 1413: unsupported depth value',
} as const;

type HapiCode = keyof typeof MESSAGES;

export interface HapiStatus {
  readonly code: HapiCode;
  readonly message: string;
}

export const hapiStatus = (code: HapiCode, detail = ''): HapiStatus => ({
  code,
  message: detail === '' ? MESSAGES[code] : `${MESSAGES[code]}. ${detail}`,
});

/** A failure with a status of HAPI. `detail`: what to do, without values of the request. */
export class HapiFailure extends Failure {
  readonly status: HapiStatus;

  constructor(code: HapiCode, detail = '') {
    const status = hapiStatus(code, detail);
    super('bad-parameter', status.message);
    this.status = status;
  }
}

export const httpStatus = (code: HapiCode): number => (code < 1300 ? 200 : code === 1406 || code === 1407 ? 404 : 400);
