// The choice of the projection, with what it shows and the place to which a sphere is turned.
import { pathOf } from '../../../../clients/typescript/core.ts';
import { MAP_SOURCES } from '../../../config/limits/maps.ts';
import { bodyName } from '../../../domain/bodies/names.ts';
import { formatIso } from '../../../domain/time.ts';
import { type Projection, printProjection, readProjection } from '../../../picture/projection.ts';
import { DAY_MS } from '../../../util/durations.ts';
import { observerPlaces } from '../api/observers.ts';
import { topicsOfSource } from '../model/topics.ts';
import { Button, Choice, named } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { fixed } from '../page/numbers.ts';
import { change, currentPicture } from '../store/open.ts';
import { observer, projection, shown, sources } from '../store/state.ts';
import { fill, texts } from '../texts.ts';

const words = texts.projection;
const KINDS = ['plane', 'sphere', 'unwrapped', 'radial', 'polar,north', 'polar,south', 'carrington', 'cea'] as const;
/** A kind, or an observer as `observer,mars`. */
type Kind = (typeof KINDS)[number] | `observer,${string}`;

const kindOf = (present: Projection) =>
  (['polar', 'observer'].includes(present.kind) ? printProjection(present) : present.kind) as Kind;

/** The projection of a choice; a sphere as the observer of the picture sees it. */
function projectionOf(kind: Kind): Projection {
  const { longitudeDegrees = 0, b0Degrees = 0 } = observer.value ?? {};
  if (kind === 'sphere') return { kind, longitude: longitudeDegrees, latitude: b0Degrees };
  return kind === 'radial' ? { kind, power: 0 } : readProjection(kind)!;
}

function aboutOf(present: Projection): string {
  if (present.kind !== 'observer') return words.about[kindOf(present) as (typeof KINDS)[number]];
  const { longitude = 0, latitude = 0, distanceAu = 1 } = present.from ?? {};
  const [x, y] = [longitude, latitude].map((angle) => fixed(angle, 1));
  return fill(words.about.observer, { longitude: x!, latitude: y!, distance: fixed(distanceAu, 3) });
}

/** The map of a rotation that the service makes of the shown sources that have the disc. */
function MonthMap({ kind }: { readonly kind: 'carrington' | 'cea' }) {
  const { layers, atMs } = shown.value!.view;
  const isDisc = ({ sourceId }: { readonly sourceId: number }) =>
    sources.value?.some((one) => one.sourceId === sourceId && !topicsOfSource(one.name, one.path).includes('ejections'));
  const ids = [...new Set(layers.filter(isDisc).map(({ sourceId }) => sourceId))].slice(0, MAP_SOURCES);
  if (ids.length === 0) return null;
  const map = { sourceId: ids.join(), date: formatIso(atMs), projection: kind === 'cea' ? 'cea' : 'car' } as const;
  return (
    <p class="links" id="month">
      <a href={pathOf('getSolarMap', map)}>{words.month}</a>
      <a href={pathOf('getSolarMap', { ...map, format: 'fits', raw: ids.length > 1 })}>FITS</a>
    </p>
  );
}

export function ProjectionChoice() {
  const present = projection.value;
  const day = Math.floor(shown.value!.view.atMs / DAY_MS);
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
      {(present.kind === 'carrington' || present.kind === 'cea') && <MonthMap kind={present.kind} />}
    </section>
  );
}
