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
} as const;
