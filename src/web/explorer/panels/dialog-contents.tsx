// Contents of the dialogs: what the picture shows, links to it, and the use of the page.
import '../core.ts';
import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { printPlay } from '../../../picture/address/play.ts';
import { escapeHtml } from '../../../util/markup.ts';
import { call } from '../api/request.ts';
import { Button, Check, Choice, Facts, Field, named, Search, setTo, setter } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { distanceText } from '../page/numbers.ts';
import { permanentAddress } from '../store/address.ts';
import { type DialogName, dialog, isSynthetic, shown, sources, tourStep } from '../store/state.ts';
import { aboutSource } from '../texts/catalogue.ts';
import { chooseLanguage, presentLanguage } from '../texts/language.ts';
import { LANGUAGES, type Language } from '../texts/languages.ts';
import { guide } from '../texts/more.ts';
import { imageTime } from '../texts/times.ts';
import { fill, texts } from '../texts.ts';
import { chooseTheme, presentTheme, THEMES, type Theme } from '../theme.ts';
import { loop } from '../time/range.ts';
import { Calendar } from './calendar.tsx';
import { useCatalogue } from './catalogue.ts';
import { CopyButton } from './code.tsx';

/** The terms of the page in alphabetical order, with a search. */
function Glossary() {
  const search = useSignal('');
  const wanted = search.value.trim().toLowerCase();
  const entries = Object.values(guide.glossary)
    .filter((entry) => entry.join(' ').toLowerCase().includes(wanted))
    .sort(([a], [b]) => a!.localeCompare(b!, presentLanguage()));
  return (
    <>
      <Search id="glossary-search" label={texts.searchTerms} placeholder="" text={search} />
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
          <p>{aboutSource(texts, image.name)}</p>
          <p class="quiet">
            {imageTime(image)}, {fill(texts.about.image, { ...image })}{' '}
            {Math.abs(image.distanceSeconds) >= 1 &&
              fill(texts.about.distance, { distance: distanceText(image.distanceSeconds) })}
          </p>
        </section>
      ))}
      <p class="quiet" id="credits">
        {[...new Set(credits)].join('; ')}
      </p>
      <p class="quiet">{texts.about.orientation}</p>
    </>
  );
}

function Line({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div class="share-line">
      <Field label={label} type="text" readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
      <CopyButton text={value} />
    </div>
  );
}

function Share() {
  const isPlayed = useSignal(false);
  const link = permanentAddress() + (isPlayed.value && loop.value ? `&play=${printPlay(loop.value)}` : '');
  const { last, failure, retry } = useLoaded(link, async (signal) => {
    return (await call('shortenURL', { queryString: new URL(link).search }, signal)).data?.url;
  });
  const short = last?.key === link ? last.value : undefined;
  const embedded = link.replace('/?', '/embed?');
  return (
    <>
      {loop.value && <Check label={texts.sharePlay} isOn={isPlayed.value} set={setter(isPlayed)} />}
      <Line label={texts.shareLink} value={link} />
      {short && short !== link && <Line label={texts.shareShort} value={short} />}
      {failure && <Failure sentences={[texts.failures.shortLink, failure]} retry={retry} />}
      <Line
        label={texts.shareEmbed}
        value={`<iframe src="${escapeHtml(embedded)}" width="640" height="480" title="${escapeHtml(texts.picture.split('.')[0]!)}" allowfullscreen></iframe>`}
      />
    </>
  );
}

function LanguageChoice() {
  return (
    <label class="field">
      {texts.language}
      <select id="language" value={presentLanguage()} onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function ThemeChoice() {
  const theme = useSignal(presentTheme());
  const pick = (next: Theme) => {
    chooseTheme(next);
    theme.value = next;
  };
  return <Choice id="theme" label={texts.theme} value={theme.value} options={named(THEMES, texts.themes)} pick={pick} />;
}

function startTour(): void {
  dialog.value = null;
  tourStep.value = 0;
}

function Help() {
  return (
    <>
      <p class="links">
        <Button label={texts.startTour} act={startTour} id="start-tour" />
        <Button label={texts.glossary} act={setTo(dialog, 'glossary')} id="open-glossary" />
      </p>
      <p>{texts.helpTouch}</p>
      <Facts class="keys" of={texts.helpKeys.map(([key, what]) => [<kbd key={key}>{key}</kbd>, what])} />
      <p class="links">
        <a href="/docs/">API</a>
        <a href="/status">{texts.about.status}</a>
        <a href="/v2/getNewsFeed/">{texts.about.news}</a>
      </p>
      <LanguageChoice />
      <ThemeChoice />
    </>
  );
}

export const DIALOGS: Readonly<Record<Exclude<DialogName, 'picture'>, FunctionComponent>> = {
  seeing: Seeing,
  share: Share,
  help: Help,
  calendar: Calendar,
  glossary: Glossary,
};
