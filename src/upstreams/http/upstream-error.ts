/** A source of the outside world did not answer as it has to. For the log: users are told which source it is, and no more. */
export class UpstreamError extends Error {
  /** Whether the same request may succeed in a moment. */
  readonly mayPass: boolean;

  constructor(sentence: string, { mayPass, cause }: { mayPass: boolean; cause?: unknown }) {
    super(sentence, { cause });
    this.name = 'UpstreamError';
    this.mayPass = mayPass;
  }
}
