// The choice of the projection, with what it shows and the place to which a sphere is turned.
import { type Projection, printProjection, readProjection } from '../../../picture/projection.ts';
import { Button, Choice, named } from '../page/controls.tsx';
import { fixed } from '../page/numbers.ts';
import { change, currentPicture } from '../store/open.ts';
import { observer, projection } from '../store/state.ts';
import { fill, texts } from '../texts.ts';

const words = texts.projection;
const KINDS = ['plane', 'sphere', 'unwrapped', 'radial', 'polar,north', 'polar,south', 'carrington', 'cea'] as const;

/** The projection of a choice; a sphere as the observer of the picture sees it. */
function projectionOf(kind: (typeof KINDS)[number]): Projection {
  const { longitudeDegrees = 0, b0Degrees = 0 } = observer.value ?? {};
  if (kind === 'sphere') return { kind, longitude: longitudeDegrees, latitude: b0Degrees };
  return kind === 'radial' ? { kind, power: 0 } : readProjection(kind)!;
}

export function ProjectionChoice() {
  const present = projection.value;
  const kind = present.kind === 'polar' ? printProjection(present)! : present.kind;
  return (
    <section aria-labelledby="projection-title">
      <h3 id="projection-title">{words.title}</h3>
      <Choice
        id="projection"
        label={words.label}
        value={kind as (typeof KINDS)[number]}
        options={named(KINDS, words.kinds)}
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
      <p class="quiet">{words.about[kind as (typeof KINDS)[number]]}</p>
    </section>
  );
}
