import { afterEach, beforeEach } from 'vitest';
import { type Responder, startUpstream, type TestUpstream } from './test-upstream.ts';

/** An upstream that is started before each test of the calling file, with these responders, and closed after it. */
export function upstreamOfEachTest(responders: Record<string, Responder> = {}): TestUpstream {
  const upstream = {} as TestUpstream;
  beforeEach(async () => void Object.assign(upstream, await startUpstream(responders)));
  afterEach(() => upstream.close());
  return upstream;
}
