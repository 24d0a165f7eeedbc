// saveWebClientState, getWebClientState, and the links /load/<key> to shared views of the web client.
import { z } from '@hono/zod-openapi';
import { parseSelections, parseVisibility, selectionEntries, spellings } from '../../picture/events/paths.ts';
import { errnoOf } from '../../platform/http/errors.ts';
import { boolean, decimal, handle, jsonBody, jsonObject, jsonObjectOrText, text } from '../../platform/http/parameters.ts';
import type { Representation } from '../../platform/http/response.ts';
import { IMMUTABLE, jsonReply, NO_STORE, redirectReply } from '../../platform/http/response.ts';
import { SAME_USE_MS } from '../../platform/limits/admission.ts';
import { CLIENT_STATES } from '../../platform/limits/sharing.ts';
import { isJsonObject, parsedJson } from '../../platform/util/bytes.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { EVENT_SOURCES, type EventSource, PATH_SEPARATOR, typesOf } from '../../sun/events/event-types.ts';
import { DATE_RANGE_MS } from '../../sun/time.ts';
import * as scene from '../pictures/scene-parameters.ts';
import { operation } from '../services.ts';
import { enveloped, inEnvelope } from './links-and-news.ts';

/** saveWebClientState. */
const savedState = () => enveloped('SavedView', text('Key of the view, 64 hexadecimal digits.'));

/** getWebClientState. */
const foundState = () => enveloped('StoredView', z.record(z.string(), z.unknown()).describe('The view as it was stored.'));

/** getWebClientState with status 404. */
const unknownStateSchema = () => enveloped('UnknownView', z.literal(''), { error: z.string(), errno: z.int() });

type Tree = Readonly<Record<string, unknown>>;

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** The method of `PIN--FRM--<id in Base64>`. */
const methodOf = (instance: string): string[] => instance.split('--').slice(1, -1);

function layerPaths(source: EventSource, layer: unknown): string[] {
  const { event_type: pin, frms, event_instances: instances } = isJsonObject(layer) ? layer : {};
  const type = typesOf(source).find((one) => one.pin === pin);
  if (!type) return [];
  const above = `${source}${PATH_SEPARATOR}${type.concept}`;
  const methods = [...textsOf(frms), ...textsOf(instances).flatMap(methodOf)];
  if (methods.includes('all')) return [above];
  return methods.flatMap(spellings).map((method) => `${above}${PATH_SEPARATOR}${method}`);
}

function treePaths(source: EventSource, { markers_visible: markers, layers, layers_v2: paths }: Tree): string[] {
  if (markers === false) return [];
  const given = textsOf(paths);
  return given.length > 0 ? given : (Array.isArray(layers) ? layers : []).flatMap((layer) => layerPaths(source, layer));
}

/** The view with the events of its trees as paths too. A view that has paths is unchanged. */
export function withSelections(view: Tree): Tree {
  if (view.event_selections !== undefined || !isJsonObject(view.eventLayers)) return view;
  const { eventLayers } = view;
  const treeOf = (source: EventSource): Tree => {
    const tree = eventLayers[`tree_${source}`];
    return isJsonObject(tree) ? tree : {};
  };
  const visibility = EVENT_SOURCES.map((source) => {
    const { markers_visible: markers, labels_visible: labels } = treeOf(source);
    return [source, { marker_visibility: markers !== false, label_visibility: labels !== false }];
  });
  return {
    ...view,
    event_selections: [...new Set(EVENT_SOURCES.flatMap((source) => treePaths(source, treeOf(source))))],
    event_visibility_selections: Object.fromEntries(visibility),
  };
}

const TAG = 'Web client';

/** Arcseconds from the centre of the Sun, or per pixel: any finite number that the client can show. */
const FINITE = { min: -1e15, max: 1e15 };

/** Parameters of the request itself, which are no part of a view. */
const REQUEST_PARAMETERS: readonly string[] = ['action', 'callback', '_'];

function layersOf(given: object | string): readonly unknown[] {
  const layers = typeof given === 'string' ? parsedJson(given) : given;
  if (Array.isArray(layers)) return layers;
  throw badParameter('imageLayers', 'a JSON list of layers', given);
}

const viewParameters = {
  date: decimal('Observation date, milliseconds since 1970.', DATE_RANGE_MS),
  centerX: decimal('Centre of the viewport, arcseconds.', FINITE),
  centerY: decimal('Centre of the viewport, arcseconds.', FINITE),
  imageScale: decimal('Arcseconds per pixel.', FINITE),
  imageLayers: jsonObjectOrText('List of layers; JSON in a form.'),
  eventLayers: jsonObject('Selected events by tree, of older clients.').optional(),
  event_selections: scene.eventsObjects.event_selections,
  event_visibility_selections: scene.eventsObjects.event_visibility_selections,
  celestialBodies: jsonObject('Selected bodies by observer; null where none are known.').optional(),
  enable3d: boolean('Whether the view is three-dimensional.').optional(),
};

const saveWebClientState = operation({
  name: 'saveWebClientState',
  summary: 'Stores a view of the web client.',
  description:
    'The response is a key for getWebClientState and for the address /load/<key>. Equal views have equal keys. A view has at most ' +
    `${CLIENT_STATES.stateBytes >> 10} KiB; fields that are not listed here are stored as well.`,
  tag: TAG,
  method: 'post',
  responses: { 'application/json': jsonBody('The key.', savedState) },
  otherResponses: {
    413: 'The view is too large.',
    503: { description: 'There is no room for another view, or the storage does not respond.', headers: ['Retry-After'] },
  },
  parameters: viewParameters,
  hasSideEffects: true,
  edge: 'none',
  // Further fields are stored as well, because newer clients have more.
  canonical: ({ imageLayers, event_selections: given, event_visibility_selections: visibility, ...values }, raw): object => {
    parseVisibility(visibility);
    if (given !== undefined) parseSelections(given, visibility, true);
    const events = {
      event_selections: given === undefined ? undefined : selectionEntries(given),
      event_visibility_selections: visibility,
    };
    const fields = { ...values, ...events, imageLayers: layersOf(imageLayers) };
    const further = [...raw].filter(([name]) => !(name in viewParameters) && !REQUEST_PARAMETERS.includes(name));
    const known = Object.entries(fields).filter(([, value]) => value !== undefined);
    return Object.fromEntries([...further.map(([name, given]) => [name, given.at(-1)] as const), ...known]);
  },
  handle: async (state, context) => {
    const data = await context.services.clientStates.save(state, context.admission);
    return jsonReply<typeof savedState>(inEnvelope(data), { policy: NO_STORE });
  },
});

/** 404 in the action form as well, where the client expects it. */
async function unknownState(): Promise<Representation> {
  const failure = new Failure('unknown-id', 'No shared view has this key.');
  const told = { error: failure.message, errno: errnoOf(failure) };
  const body = { status_code: 404, status_txt: 'Not Found', data: '', ...told } as const;
  return jsonReply<typeof unknownStateSchema>(body, { policy: NO_STORE, status: 404 });
}

const getWebClientState = operation({
  name: 'getWebClientState',
  summary: 'A stored view of the web client.',
  tag: TAG,
  description:
    'The view as it was stored, under the key of saveWebClientState. One of an older client has its `eventLayers` also as ' +
    '`event_selections` and `event_visibility_selections`.',
  responses: { 'application/json': jsonBody('The view.', foundState) },
  otherResponses: {
    404: {
      description: 'No view has this key.',
      content: { 'application/json': jsonBody('The failure, also in the envelope.', unknownStateSchema) },
    },
  },
  parameters: { state_id: handle('Key of the view, from saveWebClientState.', '0123abcd') },
  jsonp: true,
  edge: 'given',
  handle: async ({ state_id: key }, context) => {
    const state = await context.stopwatch.measure('read', () => context.services.clientStates.find(key));
    if (state === null) return unknownState();
    // Uses are recorded by requests that the edge cache does not answer.
    const facts = { policy: IMMUTABLE, edgeSeconds: SAME_USE_MS / SECOND_MS };
    return jsonReply(inEnvelope(withSelections(JSON.parse(state))), facts);
  },
});

const KEY = /^[A-Za-z0-9]{1,64}$/;

/** Redirects a link to a shared view to the page that loads it, by a relative address, to stay on its host. @throws Failure `unknown-path` */
export function sharedView(key: string, { searchParams }: URL): Promise<Representation> {
  if (!KEY.test(key)) throw new Failure('unknown-path', 'No shared view has this address.');
  const query = new URLSearchParams([['loadState', key], ...[...searchParams].filter(([name]) => name !== 'loadState')]);
  return redirectReply(`/?${query}`, { policy: IMMUTABLE }, 301);
}

export const clientStates = [saveWebClientState, getWebClientState];
