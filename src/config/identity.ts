/** Name of the service in its API document, pages and video metadata. */
export const SERVICE_NAME = 'helioedge';
export const SERVICE_VERSION = '0.1.0';
