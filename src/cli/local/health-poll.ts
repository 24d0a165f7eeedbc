// Requests of a health address, one at a time, for a watch that looks at an interval whether there was a response.
export class HealthPoll {
  readonly #url: string;
  readonly #timeoutMs: number;
  #isPending = false;
  #hasResponded = false;

  /** @param timeoutMs time after which a request is given up and repeated */
  constructor(url: string, timeoutMs: number) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  /** Whether there was a response since the last call. Any status is one: it comes from a process that works. */
  take(): boolean {
    const hasResponded = this.#hasResponded;
    this.#hasResponded = false;
    if (!this.#isPending) void this.#request();
    return hasResponded;
  }

  async #request(): Promise<void> {
    this.#isPending = true;
    try {
      const response = await fetch(this.#url, { signal: AbortSignal.timeout(this.#timeoutMs) });
      this.#hasResponded = true;
      await response.body?.cancel();
    } catch {
      // No response.
    } finally {
      this.#isPending = false;
    }
  }
}
