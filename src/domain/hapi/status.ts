// Statuses of HAPI 3.2 (section 4). Values of a request are not repeated in messages, as section 5.2 asks.
import { Failure } from '../errors.ts';

export const HAPI_VERSION = '3.2';

const MESSAGES = {
  1200: 'OK',
  1201: 'OK - no data for time range',
  1400: 'Bad request - user input error',
  1401: 'Bad request - unknown API parameter name',
  1402: 'Bad request - syntax error in start time',
  1403: 'Bad request - syntax error in stop time',
  1404: 'Bad request - start equal to or after stop',
  1405: 'Bad request - start < startDate and/or stop > stopDate',
  1406: 'Bad request - unknown dataset id',
  1407: 'Bad request - unknown dataset parameter',
  1408: 'Bad request - too much time or data requested',
  1409: 'Bad request - unsupported output format',
  1410: 'Bad request - unsupported include value',
  1411: 'Bad request - out-of-order or duplicate parameters',
  1412: 'Bad request - unsupported resolve_references value',
  1413: 'Bad request - unsupported depth value',
} as const;

export type HapiCode = keyof typeof MESSAGES;

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

/** HTTP status of a code. */
export const httpStatus = (code: HapiCode): number => (code < 1300 ? 200 : code === 1406 || code === 1407 ? 404 : 400);
