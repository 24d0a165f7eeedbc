// Version of the movie workers, which the service and its workers must share.
import { PROTOCOL_VERSION } from '../../domain/movies/worker-protocol.ts';
import { RENDER_VERSION } from '../../imaging/render-version.ts';

/**
 * Containers are replaced minutes after the Worker, so a worker may be older than the service, or newer after a rollback. It would draw with
 * its own code what is stored under the service's version. Other changes of the code do not hold up movies.
 */
export const WORKER_VERSION = `protocol-${PROTOCOL_VERSION}.render-${RENDER_VERSION}`;
