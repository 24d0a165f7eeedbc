// Measurements over time: the shape, times and figures, and what has been found so far, with its files and code.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { FIGURES, type FigureName } from '../../sun/laws/value.ts';
import { neighbours } from '../api/images.ts';
import { isComplete, isOfVertices, parseVertices, printVertices, type Shape, type ShapeKind } from '../model/measured-shape.ts';
import { CADENCES, reasonsOf, type Series, seriesCode, usualCadence, usualStep } from '../model/series.ts';
import type { Range } from '../model/timeline.ts';
import { Button, Check, Choice, Download, Field, named, SignalChoice, Status, setTo, setter } from '../page/fields.tsx';
import { Failure, Progress, useCatalogue } from '../page/loading.tsx';
import { CodeTabs } from '../panels/code.tsx';
import { secondsBetween } from '../store/cadence.ts';
import { sourceName, sourceOf } from '../store/state.ts';
import { failureTexts, measuring } from '../texts/more.ts';
import { durationText, fill, texts } from '../texts.ts';
import { RangeFields } from '../time/time-input.tsx';
import { CurvePlot } from './curve-plot.tsx';
import { MapPlot } from './map-plot.tsx';
import { endSketch, shapeOfView } from './outline.tsx';
import { type CurveRun, type MapRun, type Run, runs, seriesPath, start, stop } from './run.ts';
import {
  cadence,
  chosenLayer,
  isOfLevels,
  isTracked,
  KINDS,
  layersShown,
  type MeasuredLayer,
  measuredLayer,
  measuredRange,
  ownRange,
  pathStep,
  pathWidth,
  setShape,
  shape,
  sketched,
  statistics,
  TASKS,
  task,
  threshold,
  trackedFrom,
} from './state.ts';

type NumberFieldProps = Readonly<
  Record<'id' | 'label', string> & { value: number; least?: number | undefined; set: (value: number) => void }
>;

const NumberField = ({ id, label, value, least, set }: NumberFieldProps) => (
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
          least={least}
          set={(value) => setShape({ ...of, [name]: value } as Shape)}
        />
      ))}
    </div>
  );
}

function sketch(kind: ShapeKind): void {
  if (isOfVertices(kind)) setShape(null);
  sketched.value = kind;
}

function ShapeFields() {
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

function Facts({ series, facts, rows }: Run) {
  if (!facts) return null;
  const { law, status, caveats, rotation } = facts;
  const reasons = [...reasonsOf(rows)].map(
    ([reason, count]) => `${count} × ${(measuring.reasons as Readonly<Record<string, string>>)[reason]}`,
  );
  const lines = [
    sourceName(series.sourceId),
    law === null || status === null ? measuring.ofLevels : fill(measuring.law, { law, status: measuring.statuses[status] }),
    ...(series.cadenceSeconds === null ? [] : [fill(measuring.every, { interval: durationText(series.cadenceSeconds) })]),
    ...(rotation ? [measuring.tracked] : []),
    ...reasons,
  ];
  return (
    <div class="quiet" id="measured-facts">
      <p>{lines.join(' · ')}</p>
      {reasonsOf(rows).has('unconfirmed') && <p>{measuring.unconfirmed}</p>}
      {(series.isOfLevels ? [] : caveats).map((caveat) => (
        <p key={caveat} lang="en">
          {caveat}
        </p>
      ))}
    </div>
  );
}

const FILES = {
  getLightCurve: { csv: 'CSV', fits: 'FITS', svg: 'SVG', png: 'PNG' },
  getTimeDistance: { fits: 'FITS', npy: 'numpy', png: 'PNG' },
} as const;

const Files = ({ series }: { readonly series: Series }) => (
  <>
    <p class="links">
      {Object.entries(FILES[series.operation]).map(([format, name]) => (
        <Download label={name} key={format} href={seriesPath(series, format)} />
      ))}
    </p>
    <CodeTabs label={measuring.code} codes={seriesCode(series, (format) => location.origin + seriesPath(series, format))} />
  </>
);

function Result({ operation }: Pick<Series, 'operation'>) {
  const run = runs[operation].value;
  const element = useRef<HTMLDivElement>(null);
  const hasFailed = run?.state === 'failed';
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current) element.current?.scrollIntoView({ block: hasFailed ? 'nearest' : 'start' });
    wasRunning.current = run?.state === 'running';
  }, [run?.state]);
  if (!run) return null;
  const { state, failure, hasNoValues, rows, facts, series } = run;
  const measureLevels = () => {
    isOfLevels.value = true;
    document.getElementById('measure')?.focus();
    void start({ ...series, isOfLevels: true });
  };
  return (
    <div class="result" data-state={state} ref={element}>
      {state === 'running' && (
        <div class="measuring">
          <Progress label={measuring.progress} done={rows.length} total={facts?.rows ?? null}>
            {facts ? fill(measuring.imagesOf, { done: rows.length, total: facts.rows }) : texts.loadingPart}
          </Progress>
          <Button label={measuring.stop} act={() => stop(operation)} id="stop-measuring" />
        </div>
      )}
      {hasFailed && !hasNoValues && <Failure sentences={failure} retry={() => void start(series)} />}
      {hasNoValues && <Failure sentences={failure} retry={measureLevels} label={measuring.measureLevels} />}
      {state === 'stopped' && <p class="quiet">{measuring.stopped}</p>}
      {facts && ('threshold' in series ? <CurvePlot run={run as CurveRun} /> : <MapPlot run={run as MapRun} />)}
      <Facts {...run} />
      {!hasNoValues && <Files key={seriesPath(series, 'json')} series={series} />}
    </div>
  );
}

const ALL_IMAGES = 0;

/** Seconds between images: the chosen ones, or those that suit the range and the source. */
async function cadenceOf(sourceId: number, takenAt: string, rangeMs: number): Promise<number | null> {
  if (cadence.value !== 'usual') return cadence.value || null;
  return usualCadence(rangeMs, secondsBetween(Date.parse(takenAt), await neighbours(sourceId, takenAt)));
}

/** What is measured by the present fields. */
function seriesOf(layer: MeasuredLayer, sourceId: number, range: Range, of: Shape): Series {
  const { scale, scaleCorrection } = layer.image;
  const tracking = { trackFromMs: trackedFrom(range, layer), isOfLevels: isOfLevels.value };
  const base = { sourceId, ...range, cadenceSeconds: null, shape: of, ...tracking };
  if (task.value === 'region')
    return { ...base, operation: 'getLightCurve', statistics: statistics.value, threshold: threshold.value };
  const step = pathStep.value ?? usualStep(of, scale * scaleCorrection);
  return { ...base, operation: 'getTimeDistance', width: pathWidth.value, step };
}

/** The last series that was asked for, while the intervals of earlier ones may still be looked up. */
let asked: Series | null = null;

async function measure(layer: MeasuredLayer, sourceId: number): Promise<void> {
  const [range, of] = [measuredRange(), shape.value];
  if (!range || !of) return;
  sketched.value = null;
  const series = seriesOf(layer, sourceId, range, of);
  asked = series;
  // Without its neighbours, all images are asked for.
  const cadenceSeconds = await cadenceOf(sourceId, layer.image.takenAt, range.endMs - range.startMs).catch(() => null);
  if (asked !== series) return;
  await start({ ...series, cadenceSeconds });
}

function Times() {
  const range = measuredRange();
  if (!range) return null;
  return (
    <>
      <RangeFields name="measure" range={range} set={setter(ownRange)} />
      {ownRange.value && <Button label={measuring.timelineRange} act={setTo(ownRange, null)} />}
      <SignalChoice
        id="measure-cadence"
        label={measuring.cadence}
        of={cadence}
        options={[
          ['usual', measuring.usualCadence],
          [ALL_IMAGES, measuring.allImages],
          ...named<number>(CADENCES, (seconds) => fill(measuring.every, { interval: durationText(seconds) })),
        ]}
      />
    </>
  );
}

function Figures() {
  const chosen = statistics.value;
  const toggle = (name: FigureName) => {
    const next = FIGURES.filter((one) => (one === name ? !chosen.includes(one) : chosen.includes(one)));
    if (next.length > 0) statistics.value = next;
  };
  return (
    <>
      <fieldset class="types">
        <legend>{measuring.statistics}</legend>
        <div class="chips">
          {FIGURES.map((name) => (
            <Button label={measuring.figures[name]} act={() => toggle(name)} key={name} aria-pressed={chosen.includes(name)} />
          ))}
        </div>
      </fieldset>
      {chosen.includes('area') && (
        <NumberField id="measure-threshold" label={measuring.threshold} value={threshold.value} set={setter(threshold)} />
      )}
    </>
  );
}

function PathFields() {
  const image = measuredLayer.value?.image;
  const usual = shape.value && image ? usualStep(shape.value, image.scale * image.scaleCorrection) : 1;
  return (
    <div class="fields">
      <NumberField id="measure-width" label={measuring.width} value={pathWidth.value} least={0} set={setter(pathWidth)} />
      <NumberField id="measure-step" label={measuring.step} value={pathStep.value ?? usual} least={0.01} set={setter(pathStep)} />
    </div>
  );
}

function TaskForm({ layer }: { readonly layer: MeasuredLayer }) {
  const { failure } = useCatalogue();
  const isRegion = task.value === 'region';
  const sourceId = sourceOf(layer.sourceId, layer.image);
  const range = measuredRange();
  const isReady = shape.value !== null && isComplete(shape.value) && range !== null && range.endMs > range.startMs;
  return (
    <>
      {layersShown.value.length > 1 && (
        <Choice
          id="measured-layer"
          label={measuring.layer}
          value={layer.index}
          options={layersShown.value.map(({ index, image }) => [index, image.name] as const)}
          pick={setter(chosenLayer)}
        />
      )}
      <ShapeFields />
      {isRegion ? <Figures /> : <PathFields />}
      <Times />
      <Check label={measuring.levels} isOn={isOfLevels.value} set={setter(isOfLevels)} />
      <Check label={measuring.track} isOn={range !== null && trackedFrom(range, layer) !== null} set={setter(isTracked)} />
      {sourceId === null && failure && <p class="field-problem">{failureTexts.catalogue}</p>}
      <Button
        label={isRegion ? measuring.measureCurve : measuring.measureMap}
        act={() => void measure(layer, sourceId!)}
        id="measure"
        class="primary"
        disabled={!isReady || sourceId === null}
      />
      <Result operation={isRegion ? 'getLightCurve' : 'getTimeDistance'} />
    </>
  );
}

export function OverTime() {
  const layer = measuredLayer.value;
  const pick = (next: (typeof TASKS)[number]) => {
    sketched.value = null;
    task.value = next;
  };
  return (
    <section aria-labelledby="over-time" class="over-time" data-task={task.value}>
      <h3 id="over-time">{measuring.title}</h3>
      <Choice id="task" label={measuring.task} value={task.value} options={named(TASKS, measuring.tasks)} pick={pick} />
      {task.value !== 'none' && layer && <TaskForm key={task.value} layer={layer} />}
    </section>
  );
}
