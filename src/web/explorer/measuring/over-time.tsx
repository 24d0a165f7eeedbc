// Measurements over time: what is measured, when, and how.
import { isSourceGroup } from '../../../domain/catalogue/source-groups.ts';
import { FIGURES, type FigureName } from '../../../domain/measurement/value.ts';
import { neighbours } from '../api/images.ts';
import { isComplete } from '../model/measured-shape.ts';
import { CADENCES, usualCadence, usualStep } from '../model/series.ts';
import { Button, Check, Choice, named, SignalChoice, setTo, setter } from '../page/controls.tsx';
import { durationText } from '../page/numbers.ts';
import { useCatalogue } from '../panels/catalogue.ts';
import { sources } from '../store/state.ts';
import { measuring } from '../texts/more.ts';
import { fill, texts } from '../texts.ts';
import { RangeFields } from '../time/time-input.tsx';
import { CurvePlot } from './curve-plot.tsx';
import { MapPlot } from './map-plot.tsx';
import { Result } from './results.tsx';
import { curve, map, start } from './run.ts';
import { NumberField, ShapeFields } from './shape-fields.tsx';
import {
  cadence,
  isOfLevels,
  isTracked,
  layersShown,
  type MeasuredLayer,
  measuredLayer,
  measuredRange,
  ownRange,
  pathStep,
  pathWidth,
  pickLayer,
  shape,
  sketched,
  statistics,
  TASKS,
  task,
  threshold,
  trackedFrom,
} from './state.ts';

const ALL_IMAGES = 0;

/** The source of a layer; of a group, the member that the image belongs to, which is null before the list of sources has loaded. */
function sourceOf({ sourceId, image }: MeasuredLayer): number | null {
  if (!isSourceGroup({ id: sourceId })) return sourceId;
  return sources.value?.find(({ name }) => name === image.name)?.sourceId ?? null;
}

/** Seconds between images: the chosen ones, or those that suit the range and the source. */
async function cadenceOf(sourceId: number, takenAt: string, rangeMs: number): Promise<number | null> {
  if (cadence.value !== 'usual') return cadence.value || null;
  const { previousMs, nextMs } = await neighbours(sourceId, takenAt);
  const atMs = Date.parse(takenAt);
  const distances = [previousMs, nextMs].flatMap((ms) => (ms === null ? [] : Math.abs(ms - atMs)));
  return usualCadence(rangeMs, distances.length === 0 ? null : Math.min(...distances));
}

async function measure(layer: MeasuredLayer, sourceId: number): Promise<void> {
  const [range, of] = [measuredRange(), shape.value];
  if (!range || !of) return;
  sketched.value = null;
  const { image } = layer;
  // Without its neighbours, all images are asked for.
  const cadenceSeconds = await cadenceOf(sourceId, image.takenAt, range.endMs - range.startMs).catch(() => null);
  const base = {
    sourceId,
    ...range,
    cadenceSeconds,
    shape: of,
    trackFromMs: trackedFrom(range, layer),
    isOfLevels: isOfLevels.value,
  };
  if (task.value === 'region') {
    await start(curve, { ...base, operation: 'getLightCurve', statistics: statistics.value, threshold: threshold.value });
    return;
  }
  const step = pathStep.value ?? usualStep(of, image.scale * image.scaleCorrection);
  await start(map, { ...base, operation: 'getTimeDistance', width: pathWidth.value, step });
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
          ...CADENCES.map((seconds) => [seconds, fill(measuring.every, { interval: durationText(seconds) })] as const),
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
  const sourceId = sourceOf(layer);
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
          pick={pickLayer}
        />
      )}
      <ShapeFields />
      {isRegion ? <Figures /> : <PathFields />}
      <Times />
      <Check label={measuring.levels} isOn={isOfLevels.value} set={setter(isOfLevels)} />
      <Check label={measuring.track} isOn={range !== null && trackedFrom(range, layer) !== null} set={setter(isTracked)} />
      {sourceId === null && failure && <p class="field-problem">{texts.failures.catalogue}</p>}
      <Button
        label={isRegion ? measuring.measureCurve : measuring.measureMap}
        act={() => void measure(layer, sourceId!)}
        id="measure"
        class="primary"
        disabled={!isReady || sourceId === null}
      />
      {isRegion ? (
        <Result target={curve}>{curve.value && <CurvePlot run={curve.value} />}</Result>
      ) : (
        <Result target={map}>{map.value && <MapPlot run={map.value} />}</Result>
      )}
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
