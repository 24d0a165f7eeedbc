// Files that responses are: their media types and extensions, and which of them browsers show.

export const MEDIA_TYPES = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  mp4: 'video/mp4',
  webm: 'video/webm',
  flv: 'video/x-flv',
  fits: 'application/fits',
  npy: 'application/octet-stream',
  json: 'application/json; charset=utf-8',
  // JSON lines have no registered media type; this one is in general use.
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  votable: 'application/x-votable+xml; charset=utf-8',
} as const;
export type FileType = keyof typeof MEDIA_TYPES;

/** Types that browsers show; they save the others. */
const SHOWN: readonly FileType[] = ['png', 'jpg', 'webp', 'svg', 'json'];
export const isShown = (type: FileType): boolean => SHOWN.includes(type);

export const extensionOf = (type: FileType): string => (type === 'votable' ? 'vot' : type);
