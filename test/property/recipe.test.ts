import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventsStateOf, parseEventsState, parseEventsText, printEventsText } from '../../src/picture/events/selection.ts';
import { parseLayers, printLayers, readLayers } from '../../src/picture/layers.ts';
import { LAYER_PARAMETERS, layerParameters } from '../../src/picture/operations/operations.ts';
import { fieldOfView, parseRegion, type RegionParameters } from '../../src/picture/picture.ts';
import { parseRecipeString, recipeString } from '../../src/picture/recipe.ts';
import { Failure } from '../../src/platform/util/errors.ts';
import { centreForms, eventSelections, layers, recipes } from '../support/recipes.ts';
import { anyText } from '../support/system/any-text.ts';

const SENTENCE = { message: expect.stringMatching(/^Expected .* got .*\.( Did you mean .*\?)?$/s) };

/** The failure of parsing a user's input, if any. Rethrows other errors, which are defects. */
const refusal = <T>(parse: (input: T) => unknown, text: T): Failure | null => {
  try {
    parse(text);
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
};

it('parseLayers inverts printLayers', () => {
  fc.assert(
    fc.property(layers, (list) => {
      const text = printLayers(list);
      expect(text.length).toBeLessThanOrEqual(1000);
      expect(parseLayers(text, layerParameters(list))).toEqual(list);
      expect(readLayers(text, layerParameters(list))).toEqual({ layers: list, notes: [] });
      expect(printLayers(parseLayers(text))).toBe(text);
    }),
  );
});

/** Any texts, and those of these pieces of a notation. */
const textsOf = (pieces: readonly string[], most = 40) =>
  fc.oneof(
    anyText(60),
    fc.array(fc.constantFrom(...pieces), { maxLength: most }).map((parts) => parts.join('')),
  );

it.each([
  ['layers', parseLayers, '[|]|,|13|1|100|SDO|AIA|171|%5B|%|-|1e9|NaN| |2024-01-31T12:00:00Z'],
  ['events', (text: string) => parseEventsText(text, true), '[|]|,|;|AR|FL|all|SPoCA|\\|1|0|%5B| '],
] as const)('the notation of %s accepts any text or refuses it naming its parameter', (parameter, parse, pieces) => {
  fc.assert(
    fc.property(textsOf(pieces.split('|')), (text) => {
      const failure = refusal<string>(parse, text);
      if (failure) expect(failure).toMatchObject({ parameter, ...SENTENCE });
    }),
  );
});

const TEXT_PARAMETERS = LAYER_PARAMETERS.flatMap(({ parameters }) => Object.entries(parameters))
  .filter(([, { type }]) => type === 'text')
  .map(([name]) => name);

it.each(TEXT_PARAMETERS)('%s accept any text or refuse it, and print what they accept', (name) => {
  const texts = textsOf('[|]|[]|,|],[|%23|#|red|Green|3af|33aaff|over|add|20,200|1.4| |%5B|'.split('|'), 12);
  const read = (text: string) => parseLayers('[13,1,100],[4,1,50]', { [name]: text });
  fc.assert(
    fc.property(texts, (text) => {
      const failure = refusal(read, text);
      if (failure) expect(failure).toMatchObject({ parameter: name, ...SENTENCE });
      else expect(parseLayers('[13,1,100],[4,1,50]', layerParameters(read(text)))).toEqual(read(text));
    }),
  );
});

it('parseEventsState inverts eventsStateOf', () => {
  fc.assert(
    fc.property(eventSelections, (selection) => {
      const state = JSON.parse(JSON.stringify(eventsStateOf(selection)));
      expect(parseEventsState(state)).toEqual(selection);
    }),
  );
});

it('parseEventsText inverts printEventsText for types and methods', () => {
  fc.assert(
    fc.property(eventSelections, fc.boolean(), (selection, labels) => {
      const printable = selection.flatMap((entry) => {
        const paths = entry.source === 'WSA' || entry.notation === 'paths' ? [] : entry.paths.filter(({ length }) => length < 3);
        return paths.length ? [{ ...entry, labels, paths }] : [];
      });
      expect(parseEventsText(printEventsText(printable), labels).selection).toEqual(printable);
    }),
  );
});

it('parseEventsState accepts any JSON or refuses it, and prints what it accepts', () => {
  const list = (item: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 4, arbitrary: fc.array(item, { maxLength: 4 }) }, fc.jsonValue());
  const tree = fc.record(
    {
      labels_visible: fc.oneof(fc.boolean(), fc.jsonValue()),
      markers_visible: fc.boolean(),
      layers: list(
        fc.record(
          {
            event_type: fc.constantFrom('AR', 'FP', 'F2', 'ZZ', 7),
            frms: list(fc.constantFrom('all', 'SPoCA', '\\all', 'a b', 7)),
            event_instances: list(fc.constantFrom('AR--SPoCA--YWJj', 'AR--all--YWJj_', 'AR--a--b--Y', 'FP--x--\\+w__')),
          },
          { requiredKeys: [] },
        ),
      ),
      layers_v2: list(fc.constantFrom('HEK', 'HEK>>Flare', 'HEK>>a>>>b>', 'HEK>>a >>>> b', 'CCMC>>\\>>DONKI', 'x', '')),
    },
    { requiredKeys: [] },
  );
  const states = fc.oneof(fc.jsonValue(), fc.record({ tree_HEK: tree, tree_CCMC: tree }, { requiredKeys: [] }));
  fc.assert(
    fc.property(states, (state) => {
      const failure = refusal(parseEventsState, state);
      if (failure) {
        expect(failure).toMatchObject({ parameter: 'eventsState', ...SENTENCE });
        return;
      }
      const selection = parseEventsState(state);
      expect(parseEventsState(eventsStateOf(selection))).toEqual(selection);
    }),
    { numRuns: 500 },
  );
});

it('parseRecipeString inverts recipeString, and the string is canonical', () => {
  fc.assert(
    fc.property(recipes, (recipe) => {
      const text = recipeString(recipe);
      const again = parseRecipeString(text);
      expect(again).toEqual(recipe);
      expect(recipeString(again)).toBe(text);
    }),
  );
});

it('parseRecipeString accepts or refuses any edited recipe string', () => {
  const changes = fc.record({ at: fc.nat(), cut: fc.integer({ min: 0, max: 5 }), put: fc.string({ maxLength: 3 }) });
  fc.assert(
    fc.property(recipes, changes, (recipe, { at, cut, put }) => {
      const text = recipeString(recipe);
      const place = at % text.length;
      const failure = refusal(parseRecipeString, text.slice(0, place) + put + text.slice(place + cut));
      if (failure) expect(failure).toMatchObject(SENTENCE);
    }),
  );
});

it('parseRegion keeps the requested size, or uses the finest scale that fits the limit', () => {
  fc.assert(
    fc.property(centreForms, (form) => {
      const field = parseRegion(form);
      const [width, height] = [Math.round(form.width), Math.round(form.height)];
      const longest = Math.max(width, height);
      if (longest <= 4096) expect(field).toMatchObject({ width, height, imageScaleArcsecPerPixel: form.imageScale });
      else {
        expect(Math.max(field.width, field.height)).toBe(4096);
        expect(field.imageScaleArcsecPerPixel / ((form.imageScale * longest) / 4096)).toBeCloseTo(1, 4);
      }
      expect(fieldOfView(field.region, field.imageScaleArcsecPerPixel)).toEqual(field);
    }),
  );
});

it('parseRegion gives sides of 1 to 4096 pixels for any numbers, or refuses them', () => {
  const number = fc.option(fc.oneof(fc.double(), fc.integer({ min: -3000, max: 3000 })), { nil: undefined });
  const form = fc.record({
    imageScale: fc.oneof(fc.double(), fc.constantFrom(0.6, 2.4)),
    ...Object.fromEntries(['x1', 'y1', 'x2', 'y2', 'x0', 'y0', 'width', 'height'].map((name) => [name, number])),
  }) as fc.Arbitrary<RegionParameters>;
  fc.assert(
    fc.property(form, (parameters) => {
      const failure = refusal(parseRegion, parameters);
      if (failure) {
        expect(failure).toMatchObject(SENTENCE);
        expect(Object.keys(parameters)).toContain(failure.parameter);
        return;
      }
      const { width, height } = parseRegion(parameters);
      for (const side of [width, height]) expect(Number.isInteger(side) && side >= 1 && side <= 4096).toBe(true);
    }),
    { numRuns: 500 },
  );
});
