// Errors of the video host. They carry a reason only and no text from the host, because its responses may contain addresses and
// tokens.

export type HostErrorReason =
  /** The user denied the permission, or the authorisation code is invalid. */
  | 'not-granted'
  /** The grant has expired or was withdrawn. */
  | 'revoked'
  /** The access token is rejected; a refreshed one may be accepted. */
  | 'token-refused'
  /** The daily quota of the user or of this service is used up. */
  | 'quota'
  /** The host rejects this video, or the account may not upload. */
  | 'refused'
  /** The host no longer knows the upload. */
  | 'upload-lost'
  /** No response, an invalid one, or a temporary failure. */
  | 'unavailable';

export class VideoHostError extends Error {
  readonly reason: HostErrorReason;

  constructor(reason: HostErrorReason) {
    super(`The video host: ${reason}.`);
    this.name = 'VideoHostError';
    this.reason = reason;
  }
}

/** Messages for the user. */
const MESSAGES: Readonly<Record<HostErrorReason, string>> = {
  'not-granted': 'The video host did not give the permission to upload.',
  revoked: 'The permission to upload was withdrawn or has ended. Authorise again.',
  'token-refused': 'The video host does not accept the permission to upload. Authorise again.',
  quota: 'The video host takes no more uploads today. Try again tomorrow.',
  refused: 'The video host refused this video or this account.',
  'upload-lost': 'The video host lost the upload. Try again.',
  unavailable: 'The video host could not be reached. Try again later.',
};

export function hostMessage(reason: HostErrorReason): string {
  return MESSAGES[reason];
}
