// The choice of the projection, with what it shows and the place to which a sphere is turned.
import { pathOf } from '../../../../clients/typescript/core.ts';
import { bodyName } from '../../../domain/bodies/names.ts';
import { formatIso } from '../../../domain/time.ts';
import { type Projection, printProjection, readProjection } from '../../../picture/projection.ts';
import { recordOf } from '../../../picture/projections/projections.ts';
import { DAY_MS } from '../../../util/durations.ts';
import { observerPlaces } from '../api/observers.ts';
import { Button, Check, Choice, named } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { fixed } from '../page/numbers.ts';
import { setOption } from '../store/actions.ts';
import { change, currentPicture } from '../store/open.ts';
import { ground, observer, projection, shown } from '../store/state.ts';
import { projectionTexts as words } from '../texts/more.ts';
import { fill, texts } from '../texts.ts';
import { mapSources } from './ground.tsx';

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

/** The map of a rotation that the service makes of the shown sources that have the disc: below the layers, and of a map its files. */
function MonthMap({ kind }: Projection) {
  const { layers, atMs, overlays } = shown.value!.view;
  const sourceId = mapSources(layers);
  if (!sourceId) return null;
  const map = { sourceId, date: formatIso(atMs), projection: kind === 'cea' ? 'cea' : 'car' } as const;
  return (
    <>
      <Check label={words.month} isOn={overlays.map} set={(isOn) => setOption({ overlays: { ...overlays, map: isOn } })} />
      {overlays.map && <p class="quiet">{ground.value ? words.noMap : texts.loading}</p>}
      {(kind === 'carrington' || kind === 'cea') && (
        <p class="links" id="month">
          <a href={pathOf('getSolarMap', map)}>PNG</a>
          <a href={pathOf('getSolarMap', { ...map, format: 'fits', raw: sourceId.includes(',') })}>FITS</a>
        </p>
      )}
    </>
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
      {recordOf(present).finds === 'sun' && <MonthMap {...present} />}
    </section>
  );
}
