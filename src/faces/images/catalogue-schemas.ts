// Response schemas of getDataSources, getStatus and getDataCoverage.
import { z } from '@hono/zod-openapi';
import { dateTimeText, named, number, object, text, whole } from '../../platform/http/parameters.ts';
import { dataGap } from './image-schemas.ts';

const datasourceFields = () => ({
  sourceId: z.int().min(0).describe('Id of the datasource, for all operations that take one.'),
  nickname: text('Short name, instrument and measurement.'),
  layeringOrder: whole('Place in a picture: layers with higher numbers lie above.'),
  start: dateTimeText('Time of the oldest image.'),
  end: dateTimeText('Time of the newest image.'),
});

const credit = () => text('The line by which pictures name the mission; absent in v1.');

const levelLabel = () => ({ label: text('Kind of level, as Observatory.') });

const uiLabels = () =>
  z.array(z.object({ ...levelLabel(), name: z.string() })).describe('The levels of the path to the datasource.');

const datasource = () =>
  named('Datasource', 'A datasource that has images.', { ...datasourceFields(), credit: credit(), uiLabels: uiLabels() });
const datasourceInV1 = () => named('DatasourceV1', 'As Datasource, without credit and uiLabels.', datasourceFields());

interface Tree<Leaf> {
  [name: string]: Tree<Leaf> | Leaf;
}

function treeOf<Leaf extends z.ZodType>(leaf: Leaf, name: string): z.ZodType<Tree<z.output<Leaf>>> {
  const tree: z.ZodType<Tree<z.output<Leaf>>> = z
    .lazy(() => z.record(z.string(), z.union([leaf, tree])))
    .openapi(name, { description: 'Branches by the name of the next level, down to the datasources.' });
  return tree;
}

const nodeFields = () => ({
  name: text('Name to show; a wavelength with its unit.'),
  description: z.string(),
  label: text('Kind of level, as Observatory; absent in v1.').optional(),
  default: z.literal(true).optional().describe('Marks the way to the datasource that a client shows first.'),
});

const verboseLeaf = () =>
  named('DatasourceLeaf', 'A datasource of the verbose form.', {
    ...nodeFields(),
    ...datasourceFields(),
    credit: credit().optional(),
  });

interface Branch {
  name: string;
  description: string;
  label?: string | undefined;
  default?: true | undefined;
  children: Record<string, Branch | z.output<ReturnType<typeof verboseLeaf>>>;
}

function verboseTree() {
  const leaf = verboseLeaf();
  const branch: z.ZodType<Branch> = z
    .lazy(() => z.object({ ...nodeFields(), children: z.record(z.string(), z.union([leaf, branch])) }))
    .openapi('DatasourceBranch', { description: 'A level of the verbose form.' });
  return z.record(z.string(), branch);
}

/** getDataSources: the default form, or the verbose one. */
export const dataSources = () => z.union([treeOf(datasource(), 'DatasourceTree'), verboseTree()]);

/** As above for v1, whose paths always have four levels. */
export const dataSourcesInV1 = () => z.union([treeOf(datasourceInV1(), 'DatasourceTreeV1'), verboseTree()]);

export const recentGaps = () =>
  named('RecentGaps', null, {
    count: z.int().min(0),
    seconds: z.number().min(0).describe('All of them together.'),
    cadenceSeconds: number('Typical interval of the images.').nullable(),
    longest: z.array(dataGap()).describe('The three longest, the longest first.'),
  });

const age = () => ({
  time: text('Time of the newest image, ISO 8601 with Z.'),
  level: z.int().min(1).max(5).describe('From 1, up to date, to 5, more than a week behind.'),
  secondsBehind: z.int().min(0),
});

const sourceStatus = () =>
  named('SourceStatus', 'Age of the newest image of a datasource.', { sourceId: z.int(), nickname: z.string(), ...age() });

const instrumentStatus = () =>
  named('InstrumentStatus', null, {
    ...age(),
    measurement: text('Name of the datasource with the newest image.'),
    gaps: recentGaps().optional().describe('With `gaps`: those of this datasource in the 30 days before its newest image.'),
  });

const isoTime = () => text('ISO 8601 with Z.').nullable();

const serviceStatus = () =>
  named('ServiceStatus', 'State of the service.', {
    time: text('ISO 8601 with Z.'),
    states: z
      .array(
        z.object({
          subject: text('Instrument, upstream, mirror or movies.'),
          state: z.enum(['ok', 'late', 'failing', 'stopped']).describe('`stopped`: behind by more than a week.'),
          sentence: z.string(),
          since: isoTime(),
        }),
      )
      .describe('State of each part of the service.'),
    upstreams: z.array(
      z.object({ name: z.string(), ok: isoTime(), tried: isoTime(), isFailing: z.boolean(), sentence: z.string().nullable() }),
    ),
    mirror: object('Null without a mirror.', {
      sources: z.int(),
      added: z.int(),
      refused: z.int(),
      incomplete: z.int(),
      through: isoTime(),
    }).nullable(),
    movies: z
      .object({
        queued: z.int(),
        processing: z.int(),
        oldestWaitSeconds: z.int().nullable(),
        repeated: whole('Movies of the last day with more than one attempt.'),
        expiredLeases: whole('Attempts at movies of the last day that ended because their worker fell silent.'),
        failed: z.array(z.object({ reason: z.string(), count: z.int() })).describe('Failed movies of the last day by reason.'),
      })
      .nullable(),
  });

/** getStatus. */
export const ingestionStatus = () =>
  z
    .object({
      sources: z.array(sourceStatus()).optional().describe('With `sources`: every datasource that has images, by id.'),
      service: serviceStatus().optional().describe('With `service`.'),
    })
    .catchall(instrumentStatus())
    .describe('By instrument; `sources` and `service` where they are requested.');

const bin = () => z.array(z.number()).length(2).describe('Milliseconds since 1970, and the count.');

const eventBin = () =>
  z
    .array(z.number().nullable())
    .length(2)
    .describe('Milliseconds since 1970, and the count; null while none of the days of the bin has been counted.');

const imageSeries = () =>
  named(
    'ImageSeries',
    'Numbers of images in bins. Below 105 minutes: times of single images, each with the row of its layer from 1.',
    { sourceId: z.int(), name: z.string(), data: z.array(bin()) },
  );

const eventStrength = () =>
  named(
    'EventStrength',
    'Peak flux of a flare, speed of an ejection, Mount Wilson class of a NOAA region, or length of a filament.',
    {
      value: z.number(),
      unit: z.enum(['W/m2', 'km/s', 'm']).nullable().describe('Null for the complexity of an active region, 1 to 8.'),
      text: text('As the source writes it: `X2.1`, `930 km/s`, `βγδ`.'),
    },
  );

const eventPoint = () =>
  named('CoverageEvent', 'An event of a range below a day.', {
    id: text('As in events.'),
    kb_archivid: text('The id without the address of the HEK.'),
    concept: z.string(),
    event_type: z.string(),
    frm_name: z.string(),
    frm_specificid: z.string(),
    event_starttime: text('ISO 8601 without a zone, UTC.'),
    event_peaktime: z.string().nullable(),
    event_endtime: z.string(),
    hv_labels_formatted: z.record(z.string(), z.string()).optional(),
    strength: eventStrength().optional(),
    modifier: z.number(),
    x: number('Start, milliseconds since 1970, within the range.'),
    x2: number('End.'),
    y: whole('Lane from 1, so that no two events overlap.'),
  });

const eventSeries = () =>
  named('EventSeries', null, {
    data: z.array(z.union([eventBin(), eventPoint()])),
    event_type: text('Pin of the type, as AR.'),
    res: text('Length of the bins: `m` for single events, 30m, h, D and so on.'),
    showInLegend: z.boolean(),
    known: z
      .array(z.number().min(0).max(1))
      .optional()
      .describe('The part of each bin whose days have been counted. Absent when all have been.'),
  });

export const dataCoverage = () => z.union([z.array(imageSeries()), z.array(eventSeries())]);
