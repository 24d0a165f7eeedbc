// Movies that users shared: lists of them, which of them show a time, and whether they are still at the host.
import { SHARING, USER_VIDEOS } from '../../config/limits/sharing.ts';
import { PREVIEWS, type Preview } from '../../domain/movies/formats.ts';
import type { Share } from '../../domain/sharing/share.ts';
import { dayParts, formatDateTime } from '../../domain/time.ts';
import type { SharedVideo, SharedVideoLookup } from '../../ports/event-lookup.ts';
import type { VideoHost, VideoShares } from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';

/** An element of getUserVideos. Numbers are text, as in the answers of the original. */
export interface UserVideo {
  readonly id: string;
  readonly url: string;
  readonly thumbnails: Readonly<Record<Preview, string>>;
  /** `YYYY-MM-DD HH:MM:SS`, as the dates of the movie. */
  readonly published: string;
  readonly title: string;
  readonly description: string;
  readonly keywords: string;
  readonly imageScale: string;
  readonly dataSourceString: string;
  readonly eventSourceString: string;
  readonly movieLength: string;
  readonly width: string;
  readonly height: string;
  readonly startDate: string;
  readonly endDate: string;
}

export interface Wanted {
  readonly count: number;
  readonly skip: number;
  /** Only what was published after it. */
  readonly sinceMs: number;
}

function thumbnails(origin: string, { movieId, facts }: Share): Record<Preview, string> {
  const folder = `${origin}/cache/movies/${dayParts(facts.createdAtMs).join('/')}/${movieId}`;
  const entries = PREVIEWS.map((size) => [size, `${folder}/preview-${size}.png`] as const);
  return Object.fromEntries(entries) as Record<Preview, string>;
}

/** Address of a shared movie at the host; null while it is not there. */
export function watchAddress(watchUrl: string, { videoId }: Pick<Share, 'videoId'>): string | null {
  return videoId === null ? null : watchUrl + encodeURIComponent(videoId);
}

export class UserVideos implements SharedVideoLookup {
  readonly #shares: Pick<VideoShares, 'published' | 'covering'>;
  readonly #watchUrl: string;

  constructor({ shares, watchUrl }: { shares: Pick<VideoShares, 'published' | 'covering'>; watchUrl: string }) {
    this.#shares = shares;
    this.#watchUrl = watchUrl;
  }

  /** Newest first. `origin`: where the previews are. */
  async list({ count, skip, sinceMs }: Wanted, origin: string): Promise<UserVideo[]> {
    const shares = await this.#shares.published({ sinceMs, skip, limit: count });
    return shares.map((share) => this.#element(share, origin));
  }

  async videosAt(atMs: number): Promise<readonly SharedVideo[]> {
    try {
      const shares = await this.#shares.covering(atMs, USER_VIDEOS.markersPerPicture);
      return shares.map(({ facts }) => ({ x: facts.centreX, y: facts.centreY, label: facts.layerNames }));
    } catch {
      return [];
    }
  }

  #element(share: Share, origin: string): UserVideo {
    const { movieId, details, facts, publishedAtMs } = share;
    return {
      id: movieId,
      url: watchAddress(this.#watchUrl, share) ?? '',
      thumbnails: thumbnails(origin, share),
      published: formatDateTime(publishedAtMs ?? 0),
      title: details.title,
      description: details.description,
      keywords: details.tags.join(','),
      imageScale: String(facts.imageScaleArcsecPerPixel),
      dataSourceString: facts.layers,
      eventSourceString: facts.events,
      movieLength: String(facts.durationSeconds),
      width: String(facts.width),
      height: String(facts.height),
      startDate: formatDateTime(facts.startMs),
      endDate: formatDateTime(facts.endMs),
    };
  }
}

/** Questions in a row without an answer after which the host is taken to be away. */
const UNANSWERED = 5;

interface CheckPorts {
  readonly shares: Pick<VideoShares, 'dueForCheck' | 'checked'>;
  readonly host: Pick<VideoHost, 'isThere'>;
  readonly clock: Clock;
}

/**
 * Looks for the videos that were not looked for lately; one that its owner removed or hid is listed no more, and again when it
 * is back. How many were found gone.
 */
export async function checkSharedVideos({ shares, host, clock }: CheckPorts): Promise<number> {
  const nowMs = clock();
  const due = await shares.dueForCheck(nowMs - SHARING.checkMs, nowMs - SHARING.goneCheckMs, SHARING.checksPerRun);
  let [gone, unanswered] = [0, 0];
  for (const { movieId, videoId, status } of due) {
    if (videoId === null) continue;
    const isThere = await host.isThere(videoId).catch(() => null);
    unanswered = isThere === null ? unanswered + 1 : 0;
    if (unanswered === UNANSWERED) break;
    // What has no answer waits for its next turn, so that it is not in the way of the others.
    await shares.checked(movieId, videoId, isThere ?? status === 'done', nowMs);
    if (isThere === false) gone += 1;
  }
  return gone;
}
