// Contents of the dialogs by their names: what the picture shows, links to it, and the use of the page.

import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { printPlay } from '../../picture/address/view.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { escapeHtml } from '../../platform/util/markup.ts';
import { dayStart, isoDay } from '../../sun/time.ts';
import { imageCoverage } from '../api/images.ts';
import { call } from '../api/request.ts';
import { Button, Check, Choice, Facts, Field, IconButton, named, setTo, setter, TextField } from '../page/fields.tsx';
import { Failure, useCatalogue, useLoaded } from '../page/loading.tsx';
import { permanentAddress } from '../store/address.ts';
import { change } from '../store/open.ts';
import { baseSourceId, dialog, isSynthetic, shown, sourceName, sources, tourStep } from '../store/state.ts';
import { chooseLanguage, presentLanguage } from '../texts/language.ts';
import { aboutSource, LANGUAGES, type Language } from '../texts/languages.ts';
import { dialogTexts, failureTexts, guide, helpKeys, helpTouch, sourceTexts } from '../texts/more.ts';
import { distanceText, fill, imageTime, texts } from '../texts.ts';
import { chooseTheme, presentTheme, THEMES } from '../theme.ts';
import { loop } from '../time/range.ts';
import { CopyButton } from './code.tsx';

const words = dialogTexts.calendar;
const LONGEST_MONTH_MS = 31 * DAY_MS;
/** A Monday, with which weeks begin. */
const MONDAY_MS = Date.UTC(2024, 0, 1);

const monthFrom = (ms: number, by = 0) => Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth() + by, 1);
const inWords = (ms: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(presentLanguage(), { ...options, timeZone: 'UTC' }).format(ms);

async function imagesByDay(sourceId: number, startMs: number, signal: AbortSignal): Promise<ReadonlyMap<number, number>> {
  const [layer] = await imageCoverage([sourceId], { startMs, endMs: startMs + LONGEST_MONTH_MS }, signal);
  const days = new Map<number, number>();
  for (const { startMs: binMs, count } of layer?.bins ?? []) {
    const day = dayStart(binMs);
    days.set(day, (days.get(day) ?? 0) + count);
  }
  return days;
}

function Days({ startMs, counts }: { readonly startMs: number; readonly counts: ReadonlyMap<number, number> | null }) {
  const atMs = shown.value!.view.atMs;
  const count = Math.round((monthFrom(startMs, 1) - startMs) / DAY_MS);
  const firstColumn = ((new Date(startMs).getUTCDay() + 6) % 7) + 1;
  const pick = (dayMs: number) => {
    dialog.value = null;
    void change({ atMs: dayMs + (atMs % DAY_MS) });
  };
  return (
    <div class="calendar">
      {Array.from({ length: 7 }, (_, i) => (
        <span key={i} class="quiet" aria-hidden="true">
          {inWords(MONDAY_MS + i * DAY_MS, { weekday: 'short' })}
        </span>
      ))}
      {Array.from({ length: count }, (_, i) => {
        const day = startMs + i * DAY_MS;
        const images = counts?.get(day) ?? 0;
        return (
          <button
            key={day}
            type="button"
            data-images={images > 0}
            aria-current={dayStart(atMs) === day ? 'date' : undefined}
            style={i === 0 ? { gridColumn: String(firstColumn) } : {}}
            onClick={() => pick(day)}
          >
            <span aria-hidden="true">{i + 1}</span>
            <span class="unseen">{counts ? fill(words.images, { day: isoDay(day), count: images }) : isoDay(day)}</span>
          </button>
        );
      })}
    </div>
  );
}

function Calendar() {
  const month = useSignal(monthFrom(shown.value!.view.atMs));
  useCatalogue();
  const sourceId = baseSourceId.value!;
  const startMs = month.value;
  const { value, failure, retry } = useLoaded(`${sourceId} ${startMs}`, (signal) => imagesByDay(sourceId, startMs, signal));
  const source = sources.value?.find((one) => one.sourceId === sourceId);
  const year = new Date(startMs).getUTCFullYear();
  const known = [source?.startMs ?? startMs, source?.endMs ?? startMs, startMs].map((ms) => new Date(ms).getUTCFullYear());
  const [from, to] = [Math.min(...known), Math.max(...known)];
  const move = (by: number) => setter(month)(monthFrom(startMs, by));
  return (
    <>
      <div class="month">
        <IconButton icon="previous" label={words.previous} act={() => move(-1)} />
        <strong role="status">{inWords(startMs, { month: 'long', year: 'numeric' })}</strong>
        <IconButton icon="next" label={words.next} act={() => move(1)} />
        <Choice
          isBare
          id="year"
          label={words.year}
          value={year}
          options={Array.from({ length: to - from + 1 }, (_, i) => [from + i, String(from + i)] as const)}
          pick={(next) => move(12 * (next - year))}
        />
      </div>
      <Days startMs={startMs} counts={value} />
      {failure && <Failure sentences={[texts.timeline.noImages, failure]} retry={retry} />}
      <p class="quiet">{fill(words.note, { name: sourceName(sourceId) })}</p>
    </>
  );
}

/** The terms of the page in alphabetical order, with a search. */
function Glossary() {
  const search = useSignal('');
  const wanted = search.value.trim().toLowerCase();
  const entries = Object.values(guide.glossary)
    .filter((entry) => entry.join(' ').toLowerCase().includes(wanted))
    .sort(([a], [b]) => a!.localeCompare(b!, presentLanguage()));
  return (
    <>
      <TextField type="search" id="glossary-search" label={dialogTexts.searchTerms} placeholder="" text={search} />
      <Facts id="glossary" class="terms" of={entries.map(([term, explanation]) => [term!, explanation])} />
    </>
  );
}

function Seeing() {
  const { images = [], view } = shown.value ?? {};
  const shownImages = images.flatMap((image) => image ?? []);
  useCatalogue();
  const ids = new Set(view?.layers.map(({ sourceId }) => sourceId));
  const credits = sources.value?.flatMap(({ sourceId, credit }) => (ids.has(sourceId) ? [credit] : []));
  return (
    <>
      {isSynthetic.value && <p class="notice note">{texts.syntheticMore}</p>}
      {shownImages.map((image) => (
        <section key={image.id}>
          <h3>{image.name}</h3>
          <p>{aboutSource(sourceTexts, image.name)}</p>
          <p class="quiet">
            {imageTime(image)}, {fill(dialogTexts.about.image, { ...image })}{' '}
            {Math.abs(image.distanceSeconds) >= 1 &&
              fill(dialogTexts.about.distance, { distance: distanceText(image.distanceSeconds) })}
          </p>
        </section>
      ))}
      <p class="quiet" id="credits">
        {[...new Set(credits)].join('; ')}
      </p>
      <p class="quiet">{dialogTexts.about.orientation}</p>
    </>
  );
}

const Line = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <div class="share-line">
    <Field label={label} type="text" readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
    <CopyButton text={value} />
  </div>
);

function Share() {
  const isPlayed = useSignal(false);
  // The view of the moment, also while the picture plays behind the dialog.
  const [address] = useState(permanentAddress);
  const link = address + (isPlayed.value && loop.value ? `&play=${printPlay(loop.value)}` : '');
  const shorten = (signal: AbortSignal) => call('shortenURL', { queryString: new URL(link).search }, signal);
  const { value, failure, retry } = useLoaded(link, shorten);
  const short = value?.data?.url;
  const embedded = link.replace('/?', '/embed?');
  return (
    <>
      {loop.value && <Check label={dialogTexts.sharePlay} isOn={isPlayed.value} set={setter(isPlayed)} />}
      <Line label={dialogTexts.shareLink} value={link} />
      {short && short !== link && <Line label={dialogTexts.shareShort} value={short} />}
      {failure && <Failure sentences={[failureTexts.shortLink, failure]} retry={retry} />}
      <Line
        label={dialogTexts.shareEmbed}
        value={`<iframe src="${escapeHtml(embedded)}" width="640" height="480" title="${escapeHtml(texts.picture.split('.')[0]!)}" allowfullscreen></iframe>`}
      />
    </>
  );
}

const LANGUAGE_NAMES = (Object.keys(LANGUAGES) as Language[]).map((code) => [code, LANGUAGES[code], code] as const);

function startTour(): void {
  dialog.value = null;
  tourStep.value = 0;
}

const Help = () => (
  <>
    <p class="links">
      <Button label={dialogTexts.startTour} act={startTour} id="start-tour" />
      <Button label={texts.glossary} act={setTo(dialog, 'glossary')} id="open-glossary" />
    </p>
    <p>{helpTouch}</p>
    <Facts class="keys" of={helpKeys.map(([key, what]) => [<kbd key={key}>{key}</kbd>, what])} />
    <p class="links">
      <a href="/docs/">API</a>
      <a href="/status">{texts.about.status}</a>
      <a href="/v2/getNewsFeed/">{texts.about.news}</a>
    </p>
    <Choice id="language" label={dialogTexts.language} value={presentLanguage()} options={LANGUAGE_NAMES} pick={chooseLanguage} />
    <Choice
      id="theme"
      label={dialogTexts.theme}
      value={presentTheme()}
      options={named(THEMES, dialogTexts.themes)}
      pick={chooseTheme}
    />
  </>
);

export { Calendar as calendar, Glossary as glossary, Help as help, Seeing as seeing, Share as share };
