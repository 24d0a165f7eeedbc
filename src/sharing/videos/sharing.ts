// Assembles the services of sharing movies, for the operations, the queue and the scheduled jobs.
import type { SharingSettings } from '../../platform/settings/sharing.ts';
import { SecretBox, SharingAccess } from './sharing-access.ts';
import { checkPublishedVideos, UserVideos } from './user-videos.ts';
import { type SharingPorts, VideoSharingService } from './video-sharing.ts';
import { runUploads, type UploadCounts } from './video-upload.ts';

interface Assembled extends Omit<SharingPorts, 'access' | 'box' | 'host'> {
  /** Null when none is configured; nothing can be shared then. */
  readonly host: SharingPorts['host'] | null;
  readonly settings: SharingSettings;
}

export interface Sharing {
  readonly settings: SharingSettings;
  readonly userVideos: UserVideos;
  /** Null when no video host is configured. */
  readonly videoSharing: VideoSharingService | null;
  /** Runs due uploads. For the queue and the scheduled job. */
  runUploads(): Promise<UploadCounts>;
  /** Deletes expired rows and looks whether published videos are available, for the scheduled job. @returns rows and videos that are gone */
  sweep(): Promise<number>;
}

const NONE: UploadCounts = { done: 0, failed: 0, waiting: 0, lost: 0 };

export function assembleSharing(ports: Assembled): Sharing {
  const { settings, shares, sessions, host, clock } = ports;
  const userVideos = new UserVideos({ shares, watchUrl: settings.watchUrl });
  const expire = () => sessions.expire(clock());
  if (!host || !settings.videoHost)
    return { settings, userVideos, videoSharing: null, runUploads: async () => NONE, sweep: expire };
  const box = new SecretBox(settings.videoHost.sessionKey);
  const access = new SharingAccess({ sessions, box, clock });
  const parts = { ...ports, host, box, access };
  return {
    settings,
    userVideos,
    videoSharing: new VideoSharingService(parts),
    runUploads: () => runUploads(parts),
    sweep: async () => (await expire()) + (await checkPublishedVideos(parts)),
  };
}
