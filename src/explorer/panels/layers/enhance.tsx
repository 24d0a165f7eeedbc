// How a layer is enhanced: the choices, each with a small picture and the reference of its method, a colour, and the picture before.
import { useSignal } from '@preact/signals';
import type { Layer } from '../../../picture/layers.ts';
import { filterNamed } from '../../../picture/operations/filter.ts';
import { enhancementsOf, isEnhanced, type Operations } from '../../../picture/operations/operations.ts';
import { tintOf } from '../../../picture/operations/tint.ts';
import { type ImageRecord, picturePath } from '../../api/images.ts';
import { Away, Card, Check, Choice, named, setter } from '../../page/fields.tsx';
import { useStill } from '../../page/loading.tsx';
import { showBefore } from '../../store/actions.ts';
import { changeLayer, styleLayer } from '../../store/layers.ts';
import { isBefore, sources } from '../../store/state.ts';
import { enhanceTexts as words } from '../../texts/more.ts';
import { fill } from '../../texts.ts';

type Name = keyof typeof words.names;

const CHOICES: Readonly<Record<Name, Operations>> = {
  none: {},
  rhef: { filter: filterNamed('rhef') },
  nrgf: { filter: filterNamed('nrgf') },
  mgn: { filter: filterNamed('mgn') },
  steady: { steady: true },
};

const METHODS: Readonly<Partial<Record<Name, readonly [reference: string, address: string]>>> = {
  rhef: ['Gilly & Cranmer 2025', 'https://arxiv.org/abs/2511.02798'],
  nrgf: ['Morgan et al. 2006', 'https://doi.org/10.1007/s11207-006-0113-6'],
  mgn: ['Morgan & Druckmüller 2014', 'https://arxiv.org/abs/1403.6613'],
};

const chosen = ({ steady, filter }: Layer): Name => (steady ? 'steady' : (filter?.name ?? 'none'));

const PICTURE_PIXELS = 160;

type EnhanceProps = { readonly layer: Layer; readonly index: number; readonly image: ImageRecord | null };

function Choices({ layer, index, image }: EnhanceProps) {
  const present = chosen(layer);
  const pick = (operations: Operations) => {
    const cleared = Object.fromEntries(Object.keys(enhancementsOf(layer)).map((name) => [name, undefined]));
    isBefore.value = false;
    void changeLayer(index, { ...cleared, ...operations });
  };
  // The service draws these pictures, which would be too many of images that move.
  const still = useStill(image);
  const source = sources.value?.find(({ sourceId }) => sourceId === layer.sourceId);
  if (source?.path.includes('magnetogram')) return <p class="quiet">{words.magnetic}</p>;
  return (
    <ul class="cards">
      {(Object.entries(CHOICES) as [Name, Operations][]).map(([name, operations]) => (
        <li key={name}>
          <Card
            picture={still && picturePath(still.id, PICTURE_PIXELS, operations)}
            label={words.names[name]}
            text={words.about[name]}
            aria-pressed={name === present}
            act={() => pick(operations)}
          />
          {METHODS[name] && (
            <p class="quiet">
              {words.method}: <Away label={METHODS[name][0]} href={METHODS[name][1]} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Shows the picture before while it is held, by a pointer or a key. */
function Before() {
  const hold = (isOn: boolean) => () => void showBefore(isOn);
  const byKey = (isOn: boolean) => (event: KeyboardEvent) => {
    if (event.key === ' ' || event.key === 'Enter') hold(isOn)();
  };
  return (
    <button
      type="button"
      aria-pressed={isBefore.value}
      onPointerDown={hold(true)}
      onPointerUp={hold(false)}
      onPointerLeave={hold(false)}
      onPointerCancel={hold(false)}
      onKeyDown={byKey(true)}
      onKeyUp={byKey(false)}
      onBlur={hold(false)}
    >
      {words.before}
    </button>
  );
}

const PRIMARY = ['red', 'green', 'blue'] as const;
const FIRST_COLOUR = 'ffa500';

function Tint({ layer: { tint, blend }, index, name }: Omit<EnhanceProps, 'image'> & { readonly name: string }) {
  const primary = PRIMARY.find((one) => tintOf(one) === tint);
  const value = tint === undefined ? 'own' : (primary ?? 'another');
  const set = (text: string | undefined) => styleLayer(index, { tint: text === undefined ? undefined : tintOf(text)! });
  return (
    <>
      <Choice
        label={words.tint}
        value={value}
        options={named(['own', ...PRIMARY, 'another'] as const, words.colours)}
        pick={(one) => set(one === 'own' ? undefined : one === 'another' ? FIRST_COLOUR : one)}
      />
      {tint !== undefined && (
        <input
          type="color"
          aria-label={fill(words.pick, { name })}
          value={`#${tint}`}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
      {index > 0 && (
        <Check label={words.adds} isOn={blend === 'add'} set={(adds) => styleLayer(index, { blend: adds ? 'add' : undefined })} />
      )}
    </>
  );
}

export function Enhance({ name, ...props }: EnhanceProps & { readonly name: string }) {
  const isOpen = useSignal(false);
  return (
    <details class="enhance" onToggle={(event) => setter(isOpen)(event.currentTarget.open)}>
      <summary>{fill(words.title, { name: words.names[chosen(props.layer)] })}</summary>
      {isOpen.value && (
        <>
          <Choices {...props} />
          {isEnhanced(props.layer) && <Before />}
          <Tint {...props} name={name} />
        </>
      )}
    </details>
  );
}
