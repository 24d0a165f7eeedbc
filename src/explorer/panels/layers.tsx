// Layers: the present ones from the top, a search over all sources to add one, and the projection with the map below it.
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { pathOf } from '../../../clients/typescript/core.ts';
import { isDrawn, type Layer } from '../../picture/layers.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import type { Difference, TimeUnit } from '../../picture/operations/difference.ts';
import { type ColourRange, FULL_RANGE, GAMMA, withinRange, withoutFull } from '../../picture/operations/range.ts';
import { type Projection, printProjection } from '../../picture/projection.ts';
import { MAP_SOURCES } from '../../platform/limits/maps.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { bodyName } from '../../sun/bodies/bodies.ts';
import { areOfOneLine } from '../../sun/catalogue/datasource.ts';
import { dayStart, formatIso, isoDay } from '../../sun/time.ts';
import { observerPlaces, type Source } from '../api/catalogue.ts';
import { requestResponse } from '../api/request.ts';
import { hasWords, observatoryName, topicsOfSource } from '../model/topics.ts';
import { Distance } from '../page/caption.tsx';
import { Button, Check, Choice, Field, IconButton, named, Status, TextField } from '../page/fields.tsx';
import { Failure, useCatalogue, useLoaded, useStill } from '../page/loading.tsx';
import { recordOf } from '../picture/projecting.ts';
import { compare } from '../picture/swipe.tsx';
import { removeLayer } from '../store/actions.ts';
import { addLayer, changeLayer, isGrey, moveLayer, setGrey, setOption, styleLayer } from '../store/layers.ts';
import { change, currentPicture } from '../store/open.ts';
import { ground, hasImages, observer, projection, shown, sourceName, sources, trouble } from '../store/state.ts';
import { compareTexts, failureTexts, layerTexts, topicTexts, projectionTexts as words } from '../texts/more.ts';
import { decimal, fill, fixed, imageTime, texts, utc } from '../texts.ts';
import { Enhance } from './layers/enhance.tsx';

// Comparisons begin in this panel alone. A chunk of its own would add 700 bytes to the scripts.
export { Swipe } from '../picture/swipe.tsx';

/** The shown datasources of the disc in the line of the highest one, which comes first and gives a map its colours. */
function mapSources(layers: readonly Layer[]): string {
  const discs = layers.toReversed().flatMap((layer) => {
    const source = isDrawn(layer) && sources.value?.find(({ sourceId }) => sourceId === layer.sourceId);
    return source && !topicsOfSource(source.name, source.path).includes('ejections') ? [source] : [];
  });
  const [first] = discs;
  const same = discs.filter((one) => one === first || areOfOneLine(one.path.at(-1), first?.path.at(-1)));
  return [...new Set(same.map(({ sourceId }) => sourceId))].slice(0, MAP_SOURCES).join();
}

function show(map: typeof ground.value): void {
  ground.value = map;
  currentPicture()?.redraw();
}

const hasNoGround = signal(false);

/** Loads the map of the Sun that is drawn below the layers. A chunk of its own would add 430 bytes to the scripts. */
export function Ground() {
  const catalogue = useCatalogue();
  const { layers, atMs, projection } = shown.value!.view;
  const sourceId = recordOf(projection.kind).finds === 'sun' ? mapSources(layers) : '';
  // The end of the day, or the last midnight: maps of past ones are stored.
  const date = formatIso(dayStart(Math.min(atMs + DAY_MS, Date.now())));
  const key = useStill(sourceId && pathOf('getSolarMap', { sourceId, date }));
  const map = useLoaded(key, async (signal) => createImageBitmap(await (await requestResponse(key, { signal })).blob()));
  const { failure, retry } = catalogue.failure ? catalogue : map;
  const picture = map.value;
  useEffect(() => {
    if (failure) trouble.value = { sentence: failure, retry };
    hasNoGround.value = failure !== null;
    show(picture && { path: key, picture });
    return () => show(null);
  }, [picture, failure]);
  return null;
}

const KINDS = ['plane', 'sphere', 'unwrapped', 'radial', 'polar,north', 'polar,south', 'carrington', 'cea'] as const;
/** A kind, or an observer as `observer,mars`. */
type Kind = (typeof KINDS)[number] | `observer,${string}`;

const kindOf = (present: Projection) =>
  (['polar', 'observer'].includes(present.kind) ? printProjection(present) : present.kind) as Kind;

/** The projection of a choice; a sphere as the observer of the picture sees it. */
function projectionOf(choice: Kind): Projection {
  const { longitudeDegrees = 0, b0Degrees = 0 } = observer.value ?? {};
  if (choice === 'sphere') return { kind: choice, longitude: longitudeDegrees, latitude: b0Degrees };
  if (choice === 'radial') return { kind: choice, power: 0 };
  const [kind, word] = choice.split(',');
  return { kind, ...(kind === 'polar' ? { pole: word } : kind === 'observer' ? { body: word, from: null } : {}) } as Projection;
}

function aboutOf(present: Projection): string {
  if (present.kind !== 'observer') return words.about[kindOf(present) as (typeof KINDS)[number]];
  const { longitude = 0, latitude = 0, distanceAu = 1 } = present.from ?? {};
  const [x, y] = [longitude, latitude].map((angle) => fixed(angle, 1));
  return fill(words.about.observer, { longitude: x!, latitude: y!, distance: fixed(distanceAu, 3) });
}

/** The map of a rotation that the service makes of the shown sources that have the disc: below the layers, and of a map its files. */
function MonthMap({ kind }: Projection) {
  const { layers, atMs, overlays } = shown.value!.view;
  const sourceId = mapSources(layers);
  if (!sourceId) return null;
  const map = { sourceId, date: formatIso(atMs), projection: kind === 'cea' ? 'cea' : 'car' } as const;
  return (
    <>
      <Check label={words.month} isOn={overlays.map} set={(isOn) => setOption({ overlays: { ...overlays, map: isOn } })} />
      {overlays.map && !hasNoGround.value && <p class="quiet">{ground.value ? words.noMap : texts.loading}</p>}
      {(kind === 'carrington' || kind === 'cea') && (
        <p class="links" id="month">
          <a href={pathOf('getSolarMap', map)}>PNG</a>
          <a href={pathOf('getSolarMap', { ...map, format: 'fits', raw: sourceId.includes(',') })}>FITS</a>
        </p>
      )}
    </>
  );
}

function ProjectionChoice() {
  const present = projection.value;
  const day = Math.floor(useStill(shown.value!.view.atMs) / DAY_MS);
  const { last, failure, retry } = useLoaded(String(day), (signal) => observerPlaces(day * DAY_MS, signal));
  const observers = new Set([...(last?.value.keys() ?? []), ...(present.kind === 'observer' ? [present.body] : [])]);
  const seen = [...observers].map((name) => [`observer,${name}` as Kind, fill(words.from, { name: bodyName(name) })] as const);
  return (
    <section aria-labelledby="projection-title">
      <h3 id="projection-title">{words.title}</h3>
      <Choice
        id="projection"
        label={words.label}
        value={kindOf(present)}
        options={[...named(KINDS, words.kinds), ...seen]}
        pick={(one) => void change({ projection: projectionOf(one), centre: null, imageScale: null })}
      />
      {present.kind === 'sphere' && (
        <>
          <p id="turned">
            {fill(words.turned, { longitude: fixed(present.longitude, 1), latitude: fixed(present.latitude, 1) })}
          </p>
          <Button label={words.home} act={() => currentPicture()?.turnHome()} id="turn-home" />
        </>
      )}
      <p class="quiet">{aboutOf(present)}</p>
      {failure && <Failure sentences={[failure]} retry={retry} />}
      {recordOf(present.kind).finds === 'sun' && <MonthMap {...present} />}
    </section>
  );
}

const SLIDERS = [
  ['low', 0, 254, 1],
  ['high', 1, 255, 1],
  ['gamma', GAMMA.least, 3, 0.05],
] as const;

function ColourFields({ layer, index }: { readonly layer: Layer; readonly index: number }) {
  const words = layerTexts.colours;
  const { range = FULL_RANGE } = layer;
  const set = (part: Partial<ColourRange>) => styleLayer(index, { range: withoutFull(withinRange(range, part)) });
  return (
    <details class="colours">
      <summary>{layer.range ? fill(words.range, { ...layer.range, gamma: decimal(layer.range.gamma) }) : words.full}</summary>
      {SLIDERS.map(([name, min, max, step]) => (
        <Field
          key={name}
          label={fill(words[name], { level: range[name], gamma: decimal(range.gamma) })}
          type="range"
          {...{ min, max, step }}
          value={range[name]}
          onInput={(event) => set({ [name]: Number(event.currentTarget.valueAsNumber.toFixed(2)) })}
        />
      ))}
      <Button label={words.reset} act={() => styleLayer(index, { range: undefined })} disabled={!layer.range} />
    </details>
  );
}

type ItemProps = { readonly layer: Layer; readonly index: number; readonly count: number };

const running = (unit: TimeUnit, ...counts: readonly number[]) =>
  counts.map((count): Difference => ({ kind: 'running', count, unit }));
const RUNNING = [...running('minute', 1, 5, 30), ...running('hour', 1), ...running('day', 1)];

const keyOf = (difference: Difference | undefined) =>
  difference?.kind === 'running' ? `${difference.count} ${difference.unit}` : (difference?.kind ?? 'none');

function DifferenceChoice({ layer: { difference }, index }: ItemProps) {
  const words = layerTexts;
  const atMs = difference && 'atMs' in difference ? difference.atMs : shown.value!.view.atMs;
  const present = difference?.kind === 'running' ? [difference] : [];
  const others: Difference[] = [...RUNNING, ...present, { kind: 'base', atMs }, { kind: 'ratio', atMs }];
  const offered = new Map([undefined, ...others].map((one) => [keyOf(one), one]));
  const textOf = (one: Difference | undefined) => {
    if (!one) return words.noDifference;
    if (one.kind === 'running') return fill(words.running[one.unit], one);
    return fill(one.kind === 'base' ? words.base : words.ratio, { time: utc(atMs) });
  };
  return (
    <Choice
      label={words.difference}
      value={keyOf(difference)}
      options={[...offered].map(([key, one]) => [key, textOf(one)] as const)}
      pick={(key) => void changeLayer(index, { difference: offered.get(key) })}
    />
  );
}

function LayerItem(props: ItemProps) {
  const { layer, index, count } = props;
  const image = shown.value!.images[index];
  const name = image?.name ?? sourceName(layer.sourceId);
  const words = layerTexts;
  return (
    <li class="layer-item">
      <div class="layer-head">
        <strong>{name}</strong>
        <IconButton
          icon={layer.isVisible ? 'seen' : 'hidden'}
          label={layer.isVisible ? fill(words.hide, { name }) : fill(words.show, { name })}
          act={() => void changeLayer(index, { isVisible: !layer.isVisible })}
        />
        <IconButton icon="up" label={fill(words.up, { name })} disabled={index === count - 1} act={() => moveLayer(index, 1)} />
        <IconButton icon="down" label={fill(words.down, { name })} disabled={index === 0} act={() => moveLayer(index, -1)} />
        <IconButton
          icon="remove"
          label={fill(texts.layers.remove, { name })}
          disabled={count === 1}
          act={() => void removeLayer(index)}
        />
      </div>
      <p class="quiet">
        {image ? (
          <>
            <time dateTime={image.takenAt}>{imageTime(image)}</time> <Distance image={image} />
          </>
        ) : layer.isVisible ? (
          fill(texts.noImage, { name })
        ) : (
          words.hidden
        )}
      </p>
      <Field
        label={fill(words.opacity, { percent: layer.opacity })}
        type="range"
        min="5"
        max="100"
        step="5"
        value={layer.opacity}
        onInput={(event) => styleLayer(index, { opacity: Number(event.currentTarget.value) })}
      />
      <Enhance layer={layer} index={index} image={image ?? null} name={name} />
      <ColourFields layer={layer} index={index} />
      <DifferenceChoice {...props} />
    </li>
  );
}

const MOST_FOUND = 60;

const wordsOf = ({ name, path, sourceId }: Source) => {
  const topics = topicsOfSource(name, path).map((topic) => topicTexts[topic]);
  return [name, ...path, ...path.map(observatoryName), sourceId, ...topics].join(' ');
};

/** Observatories that look at the whole Sun at any time. */
const FIRST = ['SDO', 'SOHO'];

/** The sources that a search finds: those with images within a day of the shown time first, of them those of SDO and SOHO. */
function foundBy(search: string, all: readonly Source[]): Source[] {
  const atMs = shown.value?.view.atMs ?? Date.now();
  const rankOf = ({ path, sourceId }: Source) => {
    const observatory = FIRST.indexOf(path[0] ?? '');
    return (observatory < 0 ? FIRST.length : observatory) + (hasImages(sourceId, atMs) ? 0 : FIRST.length + 1);
  };
  return all.filter((source) => hasWords(wordsOf(source), search)).sort((a, b) => rankOf(a) - rankOf(b));
}

function SourceList({ search }: { readonly search: string }) {
  const all = sources.value;
  if (!all) return <p class="quiet">{texts.loading}</p>;
  const found = foundBy(search, all);
  const orderOf = (id: number) => all.find(({ sourceId }) => sourceId === id)?.layeringOrder ?? 1;
  const isFull = (shown.value?.view.layers.length ?? 0) >= RECIPE_LIMITS.layers;
  return (
    <>
      <Status>
        {isFull ? fill(layerTexts.full, { most: RECIPE_LIMITS.layers }) : fill(layerTexts.found, { count: found.length })}
      </Status>
      <ul class="list sources">
        {found.slice(0, MOST_FOUND).map(({ sourceId, name, path, startMs, endMs }) => (
          <li key={sourceId}>
            <button type="button" class="row-button" disabled={isFull} onClick={() => void addLayer(sourceId, orderOf)}>
              <strong>{name}</strong> <span class="quiet">{path.join(' · ')}</span>
              <span class="quiet">{fill(layerTexts.range, { start: isoDay(startMs), end: isoDay(endMs) })}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

export function Layers() {
  const search = useSignal('');
  const { failure, retry } = useCatalogue();
  const layers = shown.value?.view.layers ?? [];
  const visible = layers.filter(({ isVisible }) => isVisible);
  return (
    <>
      <ol class="layers" aria-label={layerTexts.present}>
        {layers
          .map((layer, i) => <LayerItem key={shown.value!.keys[i]} layer={layer} index={i} count={layers.length} />)
          .reverse()}
      </ol>
      <Check label={layerTexts.grey} isOn={isGrey(layers)} set={setGrey} />
      <p class="links">
        <Button label={compareTexts.layers} disabled={visible.length < 2} act={() => compare('layers')} />
        <Button label={compareTexts.time} act={() => compare('time')} />
      </p>
      <ProjectionChoice />
      <h3>{layerTexts.add}</h3>
      <TextField type="search" id="search" label={layerTexts.search} placeholder={layerTexts.example} text={search} />
      {failure ? <Failure sentences={[failureTexts.catalogue, failure]} retry={retry} /> : <SourceList search={search.value} />}
    </>
  );
}
