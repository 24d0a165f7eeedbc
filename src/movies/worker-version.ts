// Version of the movie workers, which the service and its workers must share.
import { OPERATION_VERSIONS } from '../picture/operations/operations.ts';
import { RENDER_VERSION } from '../picture/raster/render-version.ts';
import { EVENT_DRAWING_VERSION } from '../sun/events/event-types.ts';
import { PROTOCOL_VERSION } from './worker-protocol.ts';

/** A worker may be older than the service, or newer after a rollback, and would draw with its own code what the service stores as its version. */
export const WORKER_VERSION = `protocol-${PROTOCOL_VERSION}.render-${RENDER_VERSION}.events-${EVENT_DRAWING_VERSION}.${OPERATION_VERSIONS}`;
