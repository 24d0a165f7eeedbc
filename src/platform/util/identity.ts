/** Name of the service in its API document, pages and video metadata. */
export const SERVICE_NAME = 'helioedge';
export const SERVICE_VERSION = '0.1.0';
/** Time of the last change of responses that depend on the version alone, for Last-Modified. */
export const SERVICE_CHANGED_MS = Date.UTC(2026, 10, 26);
