import type { ChannelRequest } from '../../jp2/jpip/channel.ts';
import type { JpipChannel } from './jpip-channel.ts';
import type { ChannelTarget, JpipChannels } from './ports.ts';

export class DurableChannels implements JpipChannels {
  readonly #namespace: DurableObjectNamespace<JpipChannel>;

  /** `namespace`: the binding of class JpipChannel. Its type is not available where bindings are declared. */
  constructor(namespace: DurableObjectNamespace) {
    this.#namespace = namespace as DurableObjectNamespace<JpipChannel>;
  }

  #channel(id: string): DurableObjectStub<JpipChannel> {
    return this.#namespace.get(this.#namespace.idFromName(id));
  }

  async plan(id: string, target: ChannelTarget, request: ChannelRequest): ReturnType<JpipChannels['plan']> {
    return this.#channel(id).plan(target, request);
  }

  async delivered(id: string, response: string, sent: number): Promise<number> {
    return this.#channel(id).delivered(response, sent);
  }

  async close(id: string, targetName: string): Promise<boolean> {
    return this.#channel(id).close(targetName);
  }
}
