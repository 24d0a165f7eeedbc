// What may go wrong at the video host. An error says which of these it was and nothing that the host said: its answers may hold
// addresses and tokens.

export type HostErrorReason =
  /** The user said no, or the code of the authorisation is not good. */
  | 'not-granted'
  /** The grant is over or was withdrawn. */
  | 'revoked'
  /** The access token is not taken; a new one may be. */
  | 'token-refused'
  /** Too much was uploaded today, by the user or by this service. */
  | 'quota'
  /** The host does not want this video, or this account may not upload. */
  | 'refused'
  /** The upload that was begun is no longer known to the host. */
  | 'upload-lost'
  /** No answer, a broken one, or one that says to come back. */
  | 'unavailable';

export class VideoHostError extends Error {
  readonly reason: HostErrorReason;

  constructor(reason: HostErrorReason) {
    super(`The video host: ${reason}.`);
    this.name = 'VideoHostError';
    this.reason = reason;
  }
}

/** Why an upload failed, for its user. */
const SENTENCES: Readonly<Record<HostErrorReason, string>> = {
  'not-granted': 'The video host did not give the permission to upload.',
  revoked: 'The permission to upload was withdrawn or has ended. Authorise again.',
  'token-refused': 'The video host does not accept the permission to upload. Authorise again.',
  quota: 'The video host takes no more uploads today. Try again tomorrow.',
  refused: 'The video host refused this video or this account.',
  'upload-lost': 'The video host lost the upload. Try again.',
  unavailable: 'The video host could not be reached. Try again later.',
};

export function hostSentence(reason: HostErrorReason): string {
  return SENTENCES[reason];
}
