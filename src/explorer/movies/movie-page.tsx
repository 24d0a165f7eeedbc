// The page of a movie: progress, player, facts, files, and the ways to its view and to the video host.
import { useSignal } from '@preact/signals';
import { dateOf, pathOf } from '../../../clients/typescript/core.ts';
import { DETAIL_LIMITS } from '../../platform/limits/sharing.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { type MovieStatus, moviePath } from '../api/pictures.ts';
import { requestResponse } from '../api/request.ts';
import { Check, Download, Facts, setter, TextField } from '../page/fields.tsx';
import { useLoaded } from '../page/loading.tsx';
import { pageData } from '../page/page-data.ts';
import { show } from '../page/stage.tsx';
import { decimal, durationText, fill, fixed, texts, typeName } from '../texts.ts';
import { FINISHED, Player, Unfinished, useStatus } from './movie-item.tsx';

interface PageData {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly view: string;
  readonly canShare: boolean;
}

const words = texts.movie;

const apart = (from: number, to: number) => fixed(Math.abs(to - from), Math.abs(to - from) < 100 ? 1 : 0);

const middle = (from: number, to: number) => fixed((from + to) / 2, 0);

const eventNames = (events: string) => [...events.matchAll(/\[(\w+)/g)].map(([, pin]) => typeName(pin!)).join(', ');

function factsOf(status: MovieStatus): readonly (readonly [string, string])[] {
  const { startDate, endDate, duration = 0, frameRate = 0, numFrames = 0, width = 0, height = 0, imageScale } = status;
  const { x1, x2, y1, y2, events } = status;
  const seconds = startDate && endDate ? (dateOf(endDate).getTime() - dateOf(startDate).getTime()) / 1000 : 0;
  const interval = numFrames > 1 ? durationText(seconds / (numFrames - 1)) : '';
  const ofFrames = [
    [words.start, `${startDate} UTC`],
    [words.end, `${endDate} UTC`],
    [words.images, fill(words.imagesOf, { count: numFrames, interval })],
    [words.length, fill(words.lengthOf, { seconds: decimal(duration.toFixed(1)), rate: decimal(frameRate) })],
    [words.size, fill(texts.make.pixels, { width, height })],
  ] as const;
  const area = fill(texts.make.regionSize, { width: apart(x1, x2), height: apart(y1, y2) });
  return [
    ...(startDate && endDate ? ofFrames : []),
    [words.area, fill(words.areaOf, { size: area, x: middle(x1, x2), y: middle(y1, y2) })],
    [words.scale, fill(words.scaleOf, { scale: decimal(imageScale.toPrecision(3)) })],
    ...(events ? [[texts.panels.events, eventNames(events)] as const] : []),
  ];
}

const MovieFacts = ({ status }: { readonly status: MovieStatus }) => (
  <section aria-labelledby="facts">
    <h2 id="facts">{words.facts}</h2>
    <Facts class="keys" of={factsOf(status)} />
    {status.message && <p class="quiet">{status.message}</p>}
  </section>
);

const Files = ({ id }: Pick<PageData, 'id'>) => (
  <section aria-labelledby="files">
    <h2 id="files">{words.download}</h2>
    <p class="links">
      <Download label="MP4" href={moviePath(id, 'mp4')} />
      <Download label={words.bestMp4} href={`${moviePath(id, 'mp4')}&hq=true`} />
      <Download label="WebM" href={moviePath(id, 'webm')} />
    </p>
  </section>
);

function Share({ id, title, description }: PageData) {
  const name = useSignal(title.slice(0, DETAIL_LIMITS.titleCharacters));
  const isListed = useSignal(true);
  const path = pathOf('getVideoHostAuth', { id, title: name.value, description, tags: SERVICE_NAME, share: isListed.value });
  return (
    <section aria-labelledby="share">
      <h2 id="share">{words.publish}</h2>
      <TextField label={words.videoTitle} text={name} maxLength={DETAIL_LIMITS.titleCharacters} />
      <Check label={words.listed} isOn={isListed.value} set={setter(isListed)} />
      <p class="links">
        <a id="to-host" href={path} rel="nofollow">
          {words.toHost}
        </a>
      </p>
    </section>
  );
}

function MoviePage({ data }: { readonly data: PageData }) {
  const followed = useStatus(data.id);
  const { status, retry } = followed;
  const isExpired = status?.expired === true;
  // A download has the service build the files again.
  const rebuilding = useLoaded(isExpired ? data.id : '', () => requestResponse(moviePath(data.id, 'mp4')).then(retry));
  const isFinished = status?.status === FINISHED && !isExpired;
  return (
    <>
      <header class="bar">
        <a class="brand" href="/">
          <img src="/explorer/icon.svg" alt="" width="28" height="28" />
          {SERVICE_NAME}
        </a>
      </header>
      <main>
        <h1>{data.title}</h1>
        <Unfinished {...followed} />
        {isExpired && (
          <p role="status">
            {words.expired} {rebuilding.failure}
          </p>
        )}
        {isFinished && <Player id={data.id} name={data.title} status={status} />}
        <p class="links">
          <a id="to-view" href={`/?${data.view}`}>
            {words.toView}
          </a>
        </p>
        {status && <MovieFacts status={status} />}
        {isFinished && <Files id={data.id} />}
        {isFinished && data.canShare && window.top === window && <Share {...data} />}
      </main>
      <footer>
        <nav class="links" aria-label={texts.pageMenu}>
          <a href="/">{words.toSun}</a>
          <a href="/docs/">API</a>
          <a href="/status">{texts.about.status}</a>
        </nav>
      </footer>
    </>
  );
}

export function start(): void {
  const data = pageData<PageData>();
  show(data && <MoviePage data={data} />);
}
