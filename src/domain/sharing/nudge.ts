// The message that says that there may be an upload: the rows in D1 say which.

export const UPLOAD_NUDGE = { kind: 'uploads' } as const;

export function isUploadNudge(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === UPLOAD_NUDGE.kind;
}
