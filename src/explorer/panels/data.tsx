// Data: the FITS header as a table, the files, the images of the range in pages, and code for this view.
import { useSignal } from '@preact/signals';
import { pathOf, ServiceError } from '../../../clients/typescript/core.ts';
import { LISTS } from '../../platform/limits/images.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { formatDateTime } from '../../sun/time.ts';
import { headerOf, type ImageRecord, type ImageTimes, type ListedRange, listImages, listPath } from '../api/images.ts';
import { requestResponse } from '../api/request.ts';
import { Button, Download, SignalChoice, Status, setter, Table, TextField } from '../page/fields.tsx';
import { Failure, useCatalogue, useLoaded, useStill } from '../page/loading.tsx';
import { download } from '../saving/files.ts';
import { change } from '../store/open.ts';
import { baseImage, baseSourceId, header, shown, sourceName, sourceOf, sources } from '../store/state.ts';
import { failureTexts, dataTexts as words } from '../texts/more.ts';
import { decimal, fill, imageTime, texts, utc } from '../texts.ts';
import { timelineAround } from '../time/timeline-range.ts';
import { Code } from './code.tsx';
import { type SampMessage, SendButton } from './send-button.tsx';

const PAGE = 100;
/** Time for which the range has to rest, because each step of a drag changes it. */
const REST_MS = 400;

type List = ImageTimes & { readonly range: ListedRange; readonly isPart: boolean };

/** A range around a time with fewer images than a response holds, by the density of the beginning of the whole range. */
function narrowed(range: ListedRange, { times }: ImageTimes, atMs: number): ListedRange {
  const halfMs = (0.4 * LISTS.images * (times.at(-1)! - times[0]!)) / (times.length - 1);
  return {
    ...range,
    startMs: Math.max(range.startMs, Math.round(atMs - halfMs)),
    endMs: Math.min(range.endMs, Math.round(atMs + halfMs)),
  };
}

async function load(range: ListedRange, atMs: number, signal: AbortSignal): Promise<List> {
  const whole = await listImages(range, signal);
  if (!whole.isCut) return { ...whole, range, isPart: false };
  const around = narrowed(range, whole, atMs);
  return { ...(await listImages(around, signal)), range: around, isPart: true };
}

function Pages({ list: { times, range, isPart } }: { readonly list: List }) {
  const atMs = Date.parse(baseImage.value!.takenAt);
  const current = times.findIndex((ms) => Math.abs(ms - atMs) < 1000);
  const page = useSignal(Math.max(0, Math.floor(current / PAGE)));
  const first = page.value * PAGE;
  const pageTimes = times.slice(first, first + PAGE);
  const turn = (by: -1 | 1) => setter(page)(page.value + by);
  return (
    <>
      <Status>
        {isPart && fill(words.listedPart, { most: LISTS.images })}{' '}
        {fill(words.listed, {
          first: pageTimes.length && first + 1,
          last: first + pageTimes.length,
          count: times.length,
          start: utc(range.startMs),
          end: utc(range.endMs),
        })}
      </Status>
      {times.length > PAGE && (
        <div class="pages">
          <Button label={words.earlierImages} act={() => turn(-1)} disabled={page.value === 0} />
          <Button label={words.laterImages} act={() => turn(1)} disabled={first + PAGE >= times.length} />
        </div>
      )}
      <ul class="list times">
        {pageTimes.map((ms) => (
          <li key={ms}>
            <Button
              label={formatDateTime(ms)}
              act={() => void change({ atMs: ms })}
              class="row-button"
              aria-current={Math.abs(ms - atMs) < 1000 ? 'time' : undefined}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

function tableMessage(range: ListedRange): SampMessage {
  const url = location.origin + listPath(range, 'votable');
  return { type: 'table.load.votable', parameters: { url, 'table-id': url, name: sourceName(range.sourceId) } };
}

function ListOf({ sourceId }: { readonly sourceId: number }) {
  const { atMs } = shown.value!.view;
  const range = { sourceId, ...timelineAround(atMs) };
  const { last, failure, retry } = useLoaded(listPath(range), (signal) => load(range, atMs, signal), REST_MS);
  const kept = last?.value.range;
  return (
    <>
      {failure && (
        <Failure
          sentences={[words.noList, failure, kept && fill(words.keptList, { start: utc(kept.startMs), end: utc(kept.endMs) })]}
          retry={retry}
        />
      )}
      {!last && !failure && <p class="quiet">{texts.loadingPart}</p>}
      {last && (
        <>
          <p class="links">
            <Download label={words.saveList} href={listPath(range)} />
          </p>
          <SendButton program="TOPCAT" message={() => tableMessage(range)} />
          <Pages key={last.key} list={last.value} />
        </>
      )}
    </>
  );
}

/** The list of the source of the shown image; of a group that of a member, because a group has none. */
function ImageList({ groupId }: { readonly groupId: number }) {
  const { failure, retry } = useCatalogue();
  const image = baseImage.value!;
  const sourceId = sourceOf(groupId, image);
  if (sourceId === null && failure) return <Failure sentences={[failureTexts.catalogue, failure]} retry={retry} />;
  if (sourceId === null) return <p class="quiet">{sources.value ? words.noList : texts.loadingPart}</p>;
  return (
    <>
      {sourceId !== groupId && <p class="quiet">{fill(words.listedMember, { name: image.name })}</p>}
      <ListOf sourceId={sourceId} />
    </>
  );
}

const VALUE_BYTES = 4;

/** The path of the image as a FITS file, at the finest level that a response holds. */
function fitsPath({ id, width, height }: Pick<ImageRecord, 'id' | 'width' | 'height'>, isRaw: boolean): string {
  const bytes = width * height * (isRaw ? 1 : VALUE_BYTES);
  const level = Math.max(0, Math.ceil(Math.log2(bytes / MEASURING.arrayBytes) / 2));
  return pathOf('getImageData', { id, format: 'fits', level: level || undefined, raw: isRaw || undefined });
}

/** Whether the bytes of an image have a law by which they become physical values. @throws as `requestResponse` */
async function hasLaw(id: number): Promise<boolean> {
  try {
    await requestResponse(pathOf('getValue', { id, x: 1, y: 1, frame: 'pixel' }));
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 422) return false;
    throw error;
  }
}

function HeaderTable({ image }: { readonly image: ImageRecord }) {
  const search = useSignal('');
  const known = header.value?.id === image.id ? header.value.fits : null;
  const { value, failure, retry } = useLoaded(known ? '' : String(image.id), () => headerOf(image.id));
  const fits = known ?? value;
  if (!fits && failure) return <Failure sentences={[words.noHeader, failure]} retry={retry} />;
  if (!fits) return <p class="quiet">{texts.loadingPart}</p>;
  const text = search.value.toLowerCase();
  const rows = fits.filter(([name, value]) => `${name} ${value}`.toLowerCase().includes(text));
  return (
    <>
      <TextField type="search" id="header-search" label={words.search} placeholder="CRPIX" text={search} />
      <Status>{fill(words.keywords, { count: rows.length })}</Status>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the area scrolls by keys */}
      <section class="table" tabIndex={0} aria-label={fill(words.header, { name: image.name })}>
        <Table rows={rows} />
      </section>
    </>
  );
}

const fitsOf = async (image: ImageRecord) => fitsPath(image, !(await hasLaw(image.id)));

async function fitsMessage(image: ImageRecord): Promise<SampMessage> {
  const url = location.origin + (await fitsOf(image));
  return { type: 'image.load.fits', parameters: { url, 'image-id': url, name: `${image.name} ${imageTime(image)}` } };
}

/** A link to the values, and for an image without a law to its bytes, of which the service is asked when it is followed. */
function FitsLink({ image }: { readonly image: ImageRecord }) {
  const path = fitsPath(image, false);
  const follow = async (event: Event) => {
    event.preventDefault();
    download(await fitsOf(image).catch(() => path));
  };
  return <Download label={words.fits} href={path} onClick={(event) => void follow(event)} />;
}

export function Data() {
  const images = useStill(shown.value?.images ?? []).flatMap((image) => image ?? []);
  const chosen = useSignal(0);
  const image = images[Math.min(chosen.value, images.length - 1)];
  if (!image) return <p class="quiet">{texts.loading}</p>;
  return (
    <>
      {images.length > 1 && (
        <SignalChoice label={words.image} of={chosen} options={images.map(({ name }, i) => [i, name] as const)} />
      )}
      <p class="links">
        <Download label={words.file} href={pathOf('getJP2Image', { id: image.id })} />
        <FitsLink key={image.id} image={image} />
        <a href={pathOf('getJP2Header', { id: image.id })}>{words.xml}</a>
        <Download label={words.png} href={`/v2/downloadImage/?id=${image.id}&scale=1`} />
      </p>
      <p class="quiet">{fill(words.facts, { ...image, scale: decimal(image.scale.toPrecision(4)) })}</p>
      <SendButton key={image.id} program="SAOImage ds9" message={() => fitsMessage(image)} />
      <h3>{words.codeTitle}</h3>
      <Code />
      <h3>{fill(words.header, { name: image.name })}</h3>
      <HeaderTable image={image} />
      <h3>{words.listTitle}</h3>
      <ImageList groupId={baseSourceId.value ?? 0} />
    </>
  );
}
