// The video host of a world, whose requests fail, hang and lose their answers at times.
import { FakeVideoHost } from '../../support/sharing/fake-video-host.ts';
import { never } from '../scheduler.ts';

/** `lost`: the answer does not arrive. `cut`: nor does the second half of the request. `forget`: uploads under way are unknown from now on. */
export type HostFault = 'error' | 'hang' | 'lost' | 'cut' | 'forget';

export const VIDEO_HOST = 'https://videos.example.org';

export class VideoHost {
  readonly host = new FakeVideoHost(VIDEO_HOST);
  /** What meets the next requests. */
  faults: HostFault[] = [];

  async answer(request: Request): Promise<Response> {
    const fault = this.faults.shift();
    if (fault === 'hang') return never();
    if (fault === 'error') return new Response(null, { status: 500 });
    if (fault === 'forget') this.host.forgetUploads();
    const [, from, to] = /^bytes (\d+)-(\d+)/.exec(request.headers.get('Content-Range') ?? '') ?? [];
    if (fault === 'cut') this.host.faults.push({ breakAfterBytes: Math.ceil((Number(to) + 1 - Number(from)) / 2) });
    const response = await this.host.answer(request).finally(() => this.host.faults.splice(0));
    if (fault === 'lost' || fault === 'cut') throw new TypeError('fetch failed');
    return response;
  }
}
