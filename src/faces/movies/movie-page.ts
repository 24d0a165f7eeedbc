// The page of a movie at `/movie/<id>`: its static page, filled with the movie's title and what its script needs.
import { MOVIE_STATUS, movieMetadata } from '../../movies/movie.ts';
import type { FoundMovie } from '../../movies/movie-service.ts';
import { readAddress } from '../../picture/address/read-address.ts';
import { printAddress } from '../../picture/address/view.ts';
import { printEventsText } from '../../picture/events/selection.ts';
import { NO_STORE, type Representation, textReply } from '../../platform/http/response.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { formatIso } from '../../sun/time.ts';
import { filled, headTags, installed, staticPage } from '../page/page.ts';
import { type Context, failurePage, serviceOrigin } from '../services.ts';
import { moviesOf, namedMovie, previewUrls } from './movie-files.ts';

/** Pixels of a screen on which the explorer shows about the field of view of a movie. */
const SCREEN_PX = 900;

/** The explorer's view of the middle of a movie, as the query of its address. */
function viewQuery({ movie, build }: FoundMovie): string {
  const { region, events, overlays } = build.recipe.scene;
  const query = new URLSearchParams({
    date: formatIso((build.firstFrameMs + build.lastFrameMs) / 2),
    imageLayers: movie.request.layers,
    centerX: String((region.left + region.right) / 2),
    centerY: String((region.top + region.bottom) / 2),
    imageScale: String(Math.max(region.right - region.left, region.bottom - region.top) / SCREEN_PX),
    eventLayers: printEventsText(events),
    grid: String(overlays.grid),
    earth: String(overlays.scale !== null),
  });
  return printAddress(readAddress(query).view);
}

const withoutScript = (id: string) =>
  `<noscript><p class="noscript"><a href="/v2/playMovie/?id=${id}&amp;format=mp4">Play this movie without JavaScript</a></p></noscript>`;

/** The page of a movie in any state, or a page with the reason where there is none. */
export const moviePage = (id: string, context: Context): Promise<Representation> =>
  filledPage(id, context).catch(failurePage('No movie', context));

async function filledPage(id: string, context: Context): Promise<Representation> {
  const { services, stopwatch } = context;
  const found = await stopwatch.measure('index', () => moviesOf(context).find(id));
  // Within a frame, the script of the page leaves the way to the video host out.
  const { text, headers } = installed(await staticPage('/movie', context));
  const { title, description } = movieMetadata(namedMovie(found), null, '');
  const address = `${serviceOrigin(context)}/movie/${id}`;
  const image = found.build.status === MOVIE_STATUS.finished ? previewUrls(found, context).large : undefined;
  const head = headTags({ title, description, type: 'video.other', address, image }, `${title} · ${SERVICE_NAME}`);
  const data = { id, title, description, view: viewQuery(found), canShare: services.sharing.videoSharing !== null };
  const parts = { head: head.join('\n    '), picture: withoutScript(id), data };
  return textReply('text/html; charset=utf-8', filled(text, parts), { policy: NO_STORE, headers });
}
