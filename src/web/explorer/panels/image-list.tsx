// The images in the range of the timeline, in pages; each is a step to it.

import { useSignal } from '@preact/signals';
import { LISTS } from '../../../config/limits/images.ts';
import { isSourceGroup } from '../../../domain/catalogue/source-groups.ts';
import { formatDateTime } from '../../../domain/time.ts';
import { type ImageTimes, type ListedRange, listImages, listPath } from '../api/image-lists.ts';
import { Button, Download, Status, setter } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { change } from '../store/open.ts';
import { baseImage, baseSourceId, shown, sourceName, sources } from '../store/state.ts';
import { dataTexts } from '../texts/more.ts';
import { utc } from '../texts/times.ts';
import { fill, texts } from '../texts.ts';
import { middleAround, spanMs } from '../time/range.ts';
import { useCatalogue } from './catalogue.ts';
import { type SampMessage, SendButton } from './send-button.tsx';

const PAGE = 100;
/** Time for which the range has to rest, because each step of a drag changes it. */
const REST_MS = 400;
const words = dataTexts;

interface List extends ImageTimes {
  readonly range: ListedRange;
  readonly isPart: boolean;
}

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
  const startMs = Math.round((middleAround(atMs) - spanMs() / 2) / 1000) * 1000;
  const range = { sourceId, startMs, endMs: startMs + spanMs() };
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

/** The list of the member of a group that the shown image belongs to, because a group has no list. */
function MemberList() {
  const { failure, retry } = useCatalogue();
  const { name } = baseImage.value!;
  const member = sources.value?.find((source) => source.name === name);
  if (failure) return <Failure sentences={[texts.failures.catalogue, failure]} retry={retry} />;
  if (!member) return <p class="quiet">{sources.value ? words.noList : texts.loadingPart}</p>;
  return (
    <>
      <p class="quiet">{fill(words.listedMember, { name })}</p>
      <ListOf sourceId={member.sourceId} />
    </>
  );
}

export function ImageList() {
  const id = baseSourceId.value ?? 0;
  return isSourceGroup({ id }) ? <MemberList /> : <ListOf sourceId={id} />;
}
