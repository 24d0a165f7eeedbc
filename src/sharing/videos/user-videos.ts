// Published videos: their list, the ones that cover a time, and checks whether they are still available at the host.
import { PREVIEWS, type Preview, previewFile } from '../../movies/movie.ts';
import { SHARING, USER_VIDEOS } from '../../platform/limits/sharing.ts';
import { Service } from '../../platform/util/service.ts';
import { dayParts, formatDateTime } from '../../sun/time.ts';
import type { D1VideoShares, Share } from './d1-video-shares.ts';
import type { SharingPorts } from './video-sharing.ts';

function thumbnails(origin: string, { movieId, facts }: Share): Record<Preview, string> {
  const folder = `${origin}/cache/movies/${dayParts(facts.createdAtMs).join('/')}/${movieId}`;
  const entries = PREVIEWS.map((size) => [size, `${folder}/${previewFile(size)}`] as const);
  return Object.fromEntries(entries) as Record<Preview, string>;
}

/** Address of a published video at the host; null before it is published. */
export const watchAddress = (watchUrl: string, { videoId }: Pick<Share, 'videoId'>): string | null =>
  videoId === null ? null : watchUrl + encodeURIComponent(videoId);

/** The field of view in pixels of `imageScale` from disk centre, x to the west, y DOWN. */
function pixelRegion({ centreX, centreY, width, height, imageScaleArcsecPerPixel: imageScale }: Share['facts']) {
  const left = Math.round(centreX / imageScale - width / 2);
  const top = Math.round(centreY / imageScale - height / 2);
  return { top, left, bottom: top + height, right: left + width, width, height, imageScale };
}

export class UserVideos extends Service<{
  readonly shares: Pick<D1VideoShares, 'listed'>;
  readonly watchUrl: string;
}> {
  /** Elements of getUserVideos, newest first. `origin`: origin of the preview addresses. */
  async list({ count, skip, sinceMs }: { count: number; skip: number; sinceMs: number }, origin: string) {
    const shares = await this.ports.shares.listed({ sinceMs, skip, limit: count });
    return shares.map((share) => this.#element(share, origin));
  }

  /** Elements of getObservationDateVideos: listed videos that cover a time, latest start first. */
  async covering({ atMs, count, skip }: { atMs: number; count: number; skip: number }, origin: string) {
    const shares = await this.ports.shares.listed({ atMs, order: 'startMs', skip, limit: count });
    return shares.map((share) => {
      const { facts } = share;
      const { thumbnails, startDate, endDate, ...rest } = this.#element(share, origin);
      return {
        ...rest,
        thumbnails: { small: thumbnails.small, medium: thumbnails.medium },
        startDate,
        endDate,
        title: `${facts.layerNames} (${startDate} - ${endDate} UTC)`,
        imageScale: facts.imageScaleArcsecPerPixel,
        width: facts.width,
        height: facts.height,
        roi: pixelRegion(facts),
      };
    });
  }

  /** Names of the layers of listed videos that cover a time, and their centres in arcseconds, y to the south; none when the register fails. */
  async videosAt(atMs: number) {
    try {
      const shares = await this.ports.shares.listed({ atMs, limit: USER_VIDEOS.markersPerPicture });
      return shares.map(({ facts }) => ({ x: facts.centreX, y: facts.centreY, label: facts.layerNames }));
    } catch {
      return [];
    }
  }

  /** Numbers are text, as in responses of the original service. */
  #element(share: Share, origin: string) {
    const { movieId, details, facts, publishedAtMs } = share;
    return {
      id: movieId,
      url: watchAddress(this.ports.watchUrl, share) ?? '',
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

/** Consecutive failures after which the host counts as unreachable. */
const MAX_FAILURES = 5;

/** Checks the videos that are due. Those that are hidden are no longer listed, until they are available again. Returns their number. */
export async function checkPublishedVideos({ shares, host, clock }: SharingPorts): Promise<number> {
  const nowMs = clock();
  const due = await shares.dueForCheck(nowMs - SHARING.checkMs, nowMs - SHARING.goneCheckMs, SHARING.checksPerRun);
  let [gone, failures] = [0, 0];
  for (const { movieId, videoId, status } of due) {
    if (videoId === null) continue;
    const isAvailable = await host.isAvailable(videoId).catch(() => null);
    failures = isAvailable === null ? failures + 1 : 0;
    if (failures === MAX_FAILURES) break;
    // A failed check counts as done, so that it does not delay the checks of other videos.
    await shares.checked(movieId, videoId, isAvailable ?? status === 'done', nowMs);
    if (isAvailable === false) gone += 1;
  }
  return gone;
}
