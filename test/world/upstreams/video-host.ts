// The video host of a world: permission, tokens and resumable uploads. Its requests fail, hang and lose their answers at times.
import { never } from '../scheduler.ts';

/** `lost`: the answer does not arrive. `cut`: nor does the second half of the request. `forget`: uploads under way are unknown from now on. */
export type HostFault = 'error' | 'hang' | 'lost' | 'cut' | 'forget';

export const VIDEO_HOST = 'https://videos.example.org';

interface Upload {
  readonly title: string;
  readonly size: number;
  bytes: Buffer;
  videoId: string | null;
}

export class VideoHost {
  /** What meets the next requests. */
  faults: HostFault[] = [];
  /** Keyed by id. */
  readonly videos = new Map<string, Pick<Upload, 'title' | 'bytes'>>();
  readonly #uploads = new Map<string, Upload>();
  #issued = 0;

  /** The user gives the permission: the path at which the browser returns. */
  allow(authorisationUrl: string): string {
    const { searchParams } = new URL(authorisationUrl);
    const back = new URL(searchParams.get('redirect_uri')!);
    back.searchParams.set('code', this.#next('code'));
    back.searchParams.set('state', searchParams.get('state')!);
    return back.pathname + back.search;
  }

  #next(kind: string): string {
    this.#issued += 1;
    return `${kind}-${this.#issued}`;
  }

  async answer(url: URL, request: Request): Promise<Response> {
    const fault = this.faults.shift();
    if (fault === 'hang') return never();
    if (fault === 'error') return new Response(null, { status: 500 });
    if (fault === 'forget') this.#uploads.clear();
    const response = await this.#respond(url, request, fault === 'cut' ? 0.5 : 1);
    if (fault === 'lost' || fault === 'cut') throw new TypeError('fetch failed');
    return response;
  }

  /** `part`: of the bytes, which arrives. */
  async #respond({ pathname }: URL, request: Request, part: number): Promise<Response> {
    if (pathname === '/token')
      return Response.json({
        access_token: this.#next('access'),
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: 'refresh',
      });
    if (pathname === '/oembed') return Response.json({});
    const id = /^\/upload\/(.+)$/.exec(pathname)?.[1];
    return id === undefined ? this.#begin(request) : this.#take(id, request, part);
  }

  async #begin(request: Request): Promise<Response> {
    const { snippet } = (await request.json()) as { snippet: { title: string } };
    const [id, size] = [this.#next('upload'), Number(request.headers.get('X-Upload-Content-Length'))];
    this.#uploads.set(id, { title: snippet.title, size, bytes: Buffer.alloc(0), videoId: null });
    return new Response(null, { headers: { Location: `${VIDEO_HOST}/upload/${id}` } });
  }

  async #take(id: string, request: Request, part: number): Promise<Response> {
    const upload = this.#uploads.get(id);
    if (!upload) return new Response(null, { status: 404 });
    const from = /^bytes (\d+)-/.exec(request.headers.get('Content-Range') ?? '')?.[1];
    if (from !== undefined && upload.videoId === null) {
      if (Number(from) !== upload.bytes.length) return new Response(null, { status: 400 });
      const sent = new Uint8Array(await request.arrayBuffer());
      upload.bytes = Buffer.concat([upload.bytes, sent.subarray(0, Math.ceil(part * sent.length))]);
    }
    if (upload.bytes.length === upload.size) {
      upload.videoId ??= this.#next('video');
      this.videos.set(upload.videoId, upload);
      return Response.json({ id: upload.videoId });
    }
    const received: Record<string, string> = upload.bytes.length > 0 ? { Range: `bytes=0-${upload.bytes.length - 1}` } : {};
    return new Response(null, { status: 308, headers: received });
  }
}
