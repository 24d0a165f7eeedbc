// The shape that is measured: its kind, its numbers, and the way to draw it.
import { useSignal } from '@preact/signals';
import { MEASURING } from '../../../config/limits/rendering.ts';
import {
  isOfVertices,
  parseVertices,
  printVertices,
  type Shape,
  type ShapeKind,
  seenPlace,
  usualShape,
} from '../model/measured-shape.ts';
import { Button, Choice, Field, named, Status, setTo, setter } from '../page/controls.tsx';
import { pointAt } from '../picture/screen.ts';
import { camera, pictureSize } from '../store/state.ts';
import { measuring } from '../texts/more.ts';
import { fill } from '../texts.ts';
import { endSketch } from './outline.tsx';
import { KINDS, measuredLayer, setShape, shape, sketched, task } from './state.ts';

interface NumberFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly least?: number;
  readonly set: (value: number) => void;
}

export function NumberField({ id, label, value, least, set }: NumberFieldProps) {
  return (
    <Field
      label={label}
      id={id}
      type="number"
      step="any"
      min={least}
      value={value}
      onChange={({ currentTarget }) => {
        const next = currentTarget.valueAsNumber;
        if (Number.isFinite(next) && (least === undefined || next >= least)) set(next);
        else currentTarget.value = String(value);
      }}
    />
  );
}

/** Vertices as text. Another text stays, with a sentence about it. */
function VertexField({ of }: { readonly of: Extract<Shape, { readonly kind: 'polygon' | 'path' }> }) {
  const draft = useSignal<string | null>(null);
  const isBad = draft.value !== null && parseVertices(of.kind, draft.value) === null;
  return (
    <>
      <Field
        label={measuring.vertices}
        id="measured-vertices"
        type="text"
        autocomplete="off"
        spellcheck={false}
        aria-invalid={isBad}
        aria-describedby="vertices-problem"
        value={draft.value ?? printVertices(of.vertices)}
        onInput={(event) => setter(draft)(event.currentTarget.value)}
        onChange={(event) => {
          const vertices = parseVertices(of.kind, event.currentTarget.value);
          if (!vertices) return;
          draft.value = null;
          setShape({ ...of, vertices });
        }}
      />
      <p id="vertices-problem" class="field-problem" role="alert">
        {isBad ? fill(measuring.badVertices[of.kind], MEASURING.vertices[of.kind]) : ''}
      </p>
    </>
  );
}

/** Members of a shape that are numbers, in their order, and the least of those that are bounded. */
const NUMBERS = {
  box: { x: undefined, y: undefined, width: 1, height: 1 },
  circle: { x: undefined, y: undefined, radius: 1 },
  radial: { angle: undefined, from: 0, to: 1 },
} as const;

function Numbers({ of }: { readonly of: Shape }) {
  if ('vertices' in of) return <VertexField key={of.kind} of={of} />;
  const names = Object.entries(NUMBERS[of.kind]) as [keyof typeof measuring.numbers, number | undefined][];
  const values = of as unknown as Readonly<Record<string, number>>;
  return (
    <div class="fields narrow">
      {names.map(([name, least]) => (
        <NumberField
          key={name}
          id={`measured-${name}`}
          label={measuring.numbers[name]}
          value={values[name]!}
          {...(least === undefined ? {} : { least })}
          set={(value) => setShape({ ...of, [name]: value } as Shape)}
        />
      ))}
    </div>
  );
}

function shapeOfView(kind: ShapeKind): Shape | null {
  const [view, layer] = [camera.value, measuredLayer.value];
  if (!view || !layer) return null;
  const apparent = layer.image.scaleCorrection;
  const { width, height } = pictureSize.value;
  const middle = pointAt({ x: width / 2, y: height / 2 }) ?? { x: 0, y: 0 };
  return usualShape(kind, seenPlace(middle, apparent), Math.min(width, height) * view.scale * apparent);
}

function sketch(kind: ShapeKind): void {
  if (isOfVertices(kind)) setShape(null);
  sketched.value = kind;
}

export function ShapeFields() {
  const kinds = KINDS[task.value];
  const kind = shape.value?.kind ?? sketched.value ?? kinds[0]!;
  const pick = (next: ShapeKind) => {
    setShape(shapeOfView(next));
    sketched.value = null;
  };
  const isDrawing = sketched.value !== null;
  return (
    <>
      <Choice id="measured-kind" label={measuring.shape} value={kind} options={named(kinds, measuring.kinds)} pick={pick} />
      <p class="chips">
        {isDrawing && isOfVertices(kind) ? (
          <Button label={measuring.endSketch} act={endSketch} id="end-sketch" />
        ) : (
          <Button
            label={measuring.sketch}
            act={() => (isDrawing ? setTo(sketched, null)() : sketch(kind))}
            id="sketch"
            aria-pressed={isDrawing}
          />
        )}
        {!shape.value && !isDrawing && <Button label={measuring.middle} act={() => setShape(shapeOfView(kind))} />}
      </p>
      <Status>{isDrawing ? measuring.sketching[kind] : ''}</Status>
      {shape.value && <Numbers of={shape.value} />}
    </>
  );
}
