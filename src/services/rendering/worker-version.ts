// Version of the movie workers, which the service and its workers must share.
import { EVENT_DRAWING_VERSION } from '../../domain/events/event-types.ts';
import { PROTOCOL_VERSION } from '../../domain/movies/worker-protocol.ts';
import { RENDER_VERSION } from '../../imaging/render-version.ts';
import { OPERATION_VERSIONS } from '../../picture/operations/operations.ts';

/**
 * Containers are replaced minutes after the Worker, so a worker may be older than the service, or newer after a rollback. It would draw with
 * its own code what is stored under the service's version. Other changes of the code do not hold up movies.
 */
export const WORKER_VERSION = `protocol-${PROTOCOL_VERSION}.render-${RENDER_VERSION}.events-${EVENT_DRAWING_VERSION}.${OPERATION_VERSIONS}`;
