// Sharing: videos at the video host, short links, views of the web client, and the news.
import { readLinkSettings } from '../config/settings/links.ts';
import type { SharingSettings } from '../config/settings/sharing.ts';
import { UPLOAD_NUDGE } from '../domain/sharing/share.ts';
import type { Budgets } from '../services/budgets.ts';
import { ClientStates, sweepClientStates } from '../services/sharing/client-states.ts';
import { NewsService } from '../services/sharing/news-feed.ts';
import { assembleSharing } from '../services/sharing/sharing.ts';
import { ShortLinks, sweepLinks } from '../services/sharing/short-links.ts';
import { ShareableMovies } from '../services/sharing/video-sharing.ts';
import { UpstreamBeats } from '../services/status/service-status.ts';
import type { D1Movies } from '../storage/movies/d1-movies.ts';
import { D1ClientStates } from '../storage/sharing/d1-client-states.ts';
import { D1Links } from '../storage/sharing/d1-links.ts';
import { D1SharingSessions } from '../storage/sharing/d1-sharing-sessions.ts';
import { D1VideoShares } from '../storage/sharing/d1-video-shares.ts';
import type { D1StatusRegister } from '../storage/status/d1-status-register.ts';
import { HttpNewsSource } from '../upstreams/news-feed.ts';
import { BitlyShortener } from '../upstreams/url-shortener.ts';
import { type Fetch, HttpVideoHost } from '../upstreams/video-host.ts';
import type { Platform } from './platform.ts';

interface Needs {
  readonly statusRegister: D1StatusRegister;
  readonly movieRegister: D1Movies;
  readonly sharingSettings: SharingSettings;
  readonly budgets: Budgets;
}

export function sharingServices(
  { variables, databases, objects, send, clock, log }: Platform,
  { statusRegister, movieRegister, sharingSettings: settings, budgets }: Needs,
) {
  const beats = new UpstreamBeats({ register: statusRegister, clock, log });
  const responds = ({ status }: Response) => status < 500;
  const fetchOfHost: Fetch = (url, init) => beats.watch('video host', () => fetch(url, init), responds);
  const sharing = assembleSharing({
    sessions: new D1SharingSessions(databases),
    shares: new D1VideoShares(databases),
    movies: new ShareableMovies({ register: movieRegister, objects }),
    objects,
    host: settings.videoHost && new HttpVideoHost(settings.videoHost, { now: clock, fetch: fetchOfHost }),
    nudge: () => send('LONG_JOBS', [UPLOAD_NUDGE]),
    budgets,
    clock,
    settings,
    log,
  });
  const linkSettings = readLinkSettings(variables);
  const register = new D1Links(databases);
  const bitly = linkSettings.shortener && new BitlyShortener(linkSettings.shortener);
  const shortener = bitly && { shorten: (address: string) => beats.watch('shortener', () => bitly.shorten(address)) };
  const states = { register: new D1ClientStates(databases), objects, budgets, clock };
  const blog = linkSettings.newsFeedUrl === null ? null : new HttpNewsSource(linkSettings.newsFeedUrl);
  const source = blog && { address: blog.address, load: () => beats.watch('news', () => blog.load()) };
  return {
    sharing,
    runVideoUploads: async () => (await sharing.runUploads()).done,
    sweepSharing: sharing.sweep,
    links: new ShortLinks({ register, shortener, settings: linkSettings, budgets, clock, log }),
    sweepLinks: () => sweepLinks({ register, clock }),
    clientStates: new ClientStates(states),
    sweepClientStates: () => sweepClientStates(states),
    news: new NewsService({ source, objects, clock, log }),
  };
}
