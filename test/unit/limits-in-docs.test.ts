// Figures of limits in the documentation, each bound to its constant: all of the tables of docs/security.md, and statements of other pages. The
// tables of docs/configure.md are generated.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { BUDGETS, type Budget, EVICTED_UNUSED_MS } from '../../src/config/limits/budgets.ts';
import { EVENT_COUNTS, EVENT_DAYS, EVENT_RANGE, EVENT_TTL_MS, OUTLINE, XRAY_FLUX } from '../../src/config/limits/events.ts';
import { GRIDS } from '../../src/config/limits/grids.ts';
import { AUDIT, LOCAL_CACHE, MCP, NOTICES, REQUEST_LIMITS, TURNS } from '../../src/config/limits/http.ts';
import { COVERAGE, KNOWN_IMAGES, LISTS, UPLOAD } from '../../src/config/limits/images.ts';
import { JPIP, JPX_COST } from '../../src/config/limits/jpx.ts';
import { MAPS } from '../../src/config/limits/maps.ts';
import { MIRROR_REQUESTS, MIRROR_STEP } from '../../src/config/limits/mirror.ts';
import { MOVIE_LIFE, MOVIE_QUEUE } from '../../src/config/limits/movies.ts';
import { COEFFICIENT_MAKING, MEASURING, MOVING_FRAME, PICTURE_COST, SCREENSHOTS } from '../../src/config/limits/rendering.ts';
import { CLIENT_STATES, LINKS, SHARING } from '../../src/config/limits/sharing.ts';
import { WEBHOOKS } from '../../src/config/limits/webhooks.ts';
import { MOVIE_VARIABLES } from '../../src/config/settings/movies.ts';
import { MIN_TOKEN_CHARACTERS, SERVICE_VARIABLES } from '../../src/config/settings/service.ts';
import { EXPIRY_DAYS } from '../../src/domain/archive/keys.ts';
import { SHARD_COUNT } from '../../src/domain/shards.ts';
import { RECIPE_LIMITS } from '../../src/picture/limits.ts';
import { IIIF } from '../../src/routes/iiif/manifest.ts';
import { STAC } from '../../src/routes/stac/items.ts';
import { randomToken } from '../../src/services/sharing/sharing-access.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/util/durations.ts';

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const rows = read('docs/security.md')
  .split('\n')
  .filter((line) => line.startsWith('| '));

const MIB = 1 << 20;
const YEAR_DAYS = 365;
const pictureLimit = Number(/name = "PICTURE_LIMIT"[\s\S]*?limit = (\d+)/.exec(read('wrangler.toml'))![1]);

/** A figure that no constant has, because it is derived or another's. */
const other = (figure: number) => figure;

const { screenshots, screenshotPixels, maps, movies, jpx, jpxMetadata, links, views, channels, authorisations } = BUDGETS;
const budget = ({ clientHour, clientDay, allDay }: Budget) => [clientHour, clientDay, allDay];
const tokenBits = 8 * Buffer.from(randomToken(), 'base64url').length;
const evictedDays = EVICTED_UNUSED_MS / DAY_MS;
const firstYear = new Date(EVENT_DAYS.first).getUTCFullYear();
const pictureSeconds = Math.round((pictureLimit * PICTURE_COST.unitPixels * PICTURE_COST.msPerPixel) / SECOND_MS);
const { queueCost, clientCost } = MOVIE_VARIABLES;

/** By the beginning of a row: its figures in their order. */
const FIGURES: Readonly<Record<string, readonly number[]>> = {
  'publishing with': [tokenBits],
  'stolen or planted': [tokenBits],
  'requests to internal': [other(443)],
  'access to `/admin`': [MIN_TOKEN_CHARACTERS],
  'paths of outlines': [OUTLINE.characters, OUTLINE.sidePixels, OUTLINE.sidePixels],
  'requests that cost': [
    REQUEST_LIMITS.parameters,
    REQUEST_LIMITS.parameterCharacters,
    REQUEST_LIMITS.bodyBytes / MIB,
    ...[REQUEST_LIMITS.bodyUnitBytes / 1024, MCP.bodyBytes / 1024, MCP.bodyUnitBytes / 1024],
    REQUEST_LIMITS.rangeCharacters,
    REQUEST_LIMITS.comparedNames,
  ],
  'cache poisoning': [NOTICES.bytes],
  'overload by clients': [
    ...[pictureLimit, pictureSeconds, pictureLimit, JPX_COST.unitFrames, TURNS.stepMs, TURNS.longestLineMs / SECOND_MS],
    ...[
      MEASURING.arrayBytes / MIB,
      MEASURING.seriesImages,
      MEASURING.seriesPixels / 1e6,
      MEASURING.arrayBytes / MIB,
      (4 * MEASURING.cubeValues) / MIB,
    ],
    ...[GRIDS.days, GRIDS.rows, GRIDS.bytes / MIB],
  ],
  'overload of upstreams': [
    ...[EVENT_RANGE.lookupMs / SECOND_MS, EVENT_TTL_MS.failed / SECOND_MS, COVERAGE.layers, COVERAGE.points],
    ...[EVENT_RANGE.days, XRAY_FLUX.days, EVENT_COUNTS.timeline.loads, EVENT_COUNTS.timeline.ms / SECOND_MS],
  ],
  '`screenshots`': [...budget(screenshots), evictedDays, SCREENSHOTS.lifeMs / DAY_MS],
  '`movies`': [...budget(movies), MOVIE_LIFE.unusedMs / DAY_MS, MOVIE_LIFE.buildMs / DAY_MS],
  '`movie_charges`': [MOVIE_QUEUE.minCost],
  '`short_links`': [...budget(links), evictedDays, LINKS.unusedMs / DAY_MS / YEAR_DAYS],
  '`client_states`': [...budget(views), evictedDays, CLIENT_STATES.unusedMs / DAY_MS / YEAR_DAYS],
  '`video_authorisations`': [...budget(authorisations), SHARING.authorisationMs / MINUTE_MS],
  '`charges`': [Object.keys(BUDGETS).length, Object.keys(BUDGETS).length],
  '`event_counts`': [
    ...[EVENT_COUNTS.timeline.loads, EVENT_COUNTS.windowDays, firstYear],
    ...[other(500), other(30), EVENT_COUNTS.kindsOfDay],
  ],
  '`derived/screenshots/`': [...budget(screenshotPixels), EXPIRY_DAYS['derived/screenshots/']],
  '`derived/maps/`': [...budget(maps), other(29), EXPIRY_DAYS['derived/maps/']],
  '`derived/movies/`': [EXPIRY_DAYS['derived/movies/'], EXPIRY_DAYS['derived/plans/']],
  '`jpx/`': [pictureLimit, JPX_COST.unitFrames, ...budget(jpx), EXPIRY_DAYS['jpx/']],
  '`derived/jpx-metadata/`': [...budget(jpxMetadata), EXPIRY_DAYS['derived/jpx-metadata/']],
  '`states/`': [CLIENT_STATES.unusedMs / DAY_MS / YEAR_DAYS],
  '`derived/v`': [pictureLimit, EXPIRY_DAYS['derived/v']],
  '`derived/coefficients/a/`': [
    COEFFICIENT_MAKING.waiting,
    ...(['a', 'b', 'c'] as const).map((part) => EXPIRY_DAYS[`derived/coefficients/${part}/`]),
  ],
  '`derived/annuli/`': [other(20)],
  '`derived/grids/`': [other(10)],
  '`facts/`': [KNOWN_IMAGES.missing],
  '`ids/`': [SHARD_COUNT],
  '`events/`': [EVENT_RANGE.days, firstYear, EXPIRY_DAYS['events/']],
  '`jp2/`': [EXPIRY_DAYS['quarantine/']],
  'Durable Objects': [
    ...[pictureLimit / JPIP.channelUnits, channels.clientHour, channels.clientDay, JPIP.idHours, channels.allDay],
    JPIP.channelLifetimeMs / MINUTE_MS,
    ...[other(100), other(60)],
  ],
  'the queue of movies': [queueCost.type.parse(undefined) / clientCost.type.parse(undefined)],
  webhooks: [...[WEBHOOKS.items, WEBHOOKS.bytes / 1000, WEBHOOKS.count, other(18)]],
  'events that webhooks': [WEBHOOKS.knownEvents, other(10), WEBHOOKS.knownEventMs / DAY_MS],
};

const STATUSES = [404, 409, 429, 503];

/** The numbers of a row beside names in code and addresses; thousands may have commas. */
function figuresIn(row: string): number[] {
  const prose = row.replace(/`[^`]*`/g, '').replace(/\]\([^)]*\)/g, '');
  const numbers = [...prose.matchAll(/(?<![\w-])\d+(?:,\d{3})*(?!\w)/g)].map(([text]) => Number(text.replaceAll(',', '')));
  return numbers.filter((number) => !STATUSES.includes(number));
}

it('Every row of docs/security.md with figures has those of the constants.', () => {
  const found = Object.fromEntries(
    Object.keys(FIGURES).map((start) => {
      const row = rows.filter((line) => line.startsWith(`| ${start}`));
      expect(row, start).toHaveLength(1);
      return [start, figuresIn(row[0]!)];
    }),
  );
  expect(found).toEqual(FIGURES);
});

it('No row of docs/security.md has figures that no constant is compared with.', () => {
  const compared = Object.keys(FIGURES);
  const unknown = rows.filter((row) => figuresIn(row).length > 0 && !compared.some((start) => row.startsWith(`| ${start}`)));
  expect(unknown).toEqual([]);
});

/** Statements of a page with `#` for a figure, and the figures in their order. */
const STATEMENTS: readonly (readonly [page: string, statement: string, ...figures: number[]])[] = [
  ['api.md', 'records of the images nearest to each of up to # `dates`', REQUEST_LIMITS.datesPerRequest],
  ['api.md', 'at most #x# pixels, for players', MOVING_FRAME.sidePixels, MOVING_FRAME.sidePixels],
  ['api.md', 'least quality from # to # that keeps', MOVING_FRAME.qualities[0], MOVING_FRAME.qualities.at(-1)!],
  ['api.md', 'movie of at most # JPEG 2000 frames', SERVICE_VARIABLES.jpxFrames.type.parse(undefined)],
  [
    'api.md',
    'for each # KiB, and as\n# without',
    REQUEST_LIMITS.bodyUnitBytes / 1024,
    REQUEST_LIMITS.bodyBytes / REQUEST_LIMITS.bodyUnitBytes,
  ],
  ['api.md', 'solar X-ray flux of GOES over at most # days', XRAY_FLUX.days],
  ['api.md', 'at most # KiB of JSON, and returns it by its key', CLIENT_STATES.stateBytes / 1024],
  ['api.md', 'oldest first, # unless `limit` says more (at most #)', LISTS.images, LISTS.maxImages],
  ['api.md', 'up to # in a response; its `next`', LISTS.files],
  ['api.md', 'in a projection has at most #x# pixels', RECIPE_LIMITS.projectedSidePixels, RECIPE_LIMITS.projectedSidePixels],
  ['api.md', 'a picture has at most #x# pixels', RECIPE_LIMITS.sidePixels, RECIPE_LIMITS.sidePixels],
  ['api.md', 'A request has at most # layers, and # single images of each', COVERAGE.layers, COVERAGE.points],
  ['api.md', 'does\nnot deliver within # seconds', EVENT_RANGE.lookupMs / SECOND_MS],
  ['api.md', 'those near the middle first, for up to # seconds', EVENT_COUNTS.timeline.ms / SECOND_MS],
  ['api.md', 'is kept beside it for # days', EXPIRY_DAYS['derived/jpx-metadata/']],
  ['api.md', 'A response has at most # MiB and # messages', JPIP.responseBytes / MIB, JPIP.responseMessages],
  ['tools.md', 'A delivery is tried # times', WEBHOOKS.attempts],
  ['tools.md', 'approximate, at most # images a day', GRIDS.imagesOfDay],
  ['tools.md', 'streamed a page of # records at a time', LISTS.pageImages],
  ['tools.md', 'A page has at most #, also where more are requested', STAC.maxItems],
  ['tools.md', '3.0, with at most # images', IIIF.canvases],
  ['tools.md', 'PNG of at most #x# pixels', MCP.pictureSide, MCP.pictureSide],
  ['tools.md', 'A result has at most # characters of JSON', MCP.textCharacters],
  ['measure.md', 'At most # MiB of values', MEASURING.arrayBytes / MIB],
  ['measure.md', 'or as bytes; # values in JSON', MEASURING.jsonValues],
  ['measure.md', 'At most # rows, and # million pixels of all images', MEASURING.seriesImages, MEASURING.seriesPixels / 1e6],
  ['measure.md', '`getLightCurve` measures at most # images by their pixels', MEASURING.seriesImages],
  ['measure.md', 'one object for each day, at most #', GRIDS.days],
  ['measure.md', 'so that it reads at most # MiB', GRIDS.bytes / MIB],
  ['measure.md', 'Days have at most # images', GRIDS.imagesOfDay],
  ['measure.md', 'A curve has at most # of them', GRIDS.rows],
  ['measure.md', 'has # million of these pixels a minute', (pictureLimit * PICTURE_COST.unitPixels) / 1e6],
  ['measure.md', '# units (`PICTURE_LIMIT`) of # million', pictureLimit, PICTURE_COST.unitPixels / 1e6],
  [
    'measure.md',
    '| getImageData | # MiB of values, # values in JSON; `level` #',
    MEASURING.arrayBytes / MIB,
    MEASURING.jsonValues,
    MEASURING.level,
  ],
  ['measure.md', '| polygon; path | # vertices', MEASURING.vertices.polygon.most],
  [
    'measure.md',
    '| getLightCurve | # images by their pixels; by grids # days and # rows, # in FITS',
    MEASURING.seriesImages,
    GRIDS.days,
    GRIDS.rows,
    GRIDS.wholeRows,
  ],
  [
    'measure.md',
    '| getTimeDistance | # images, # positions, # samples over the width; # MiB of values, # values',
    MEASURING.seriesImages,
    MEASURING.pathPositions,
    MEASURING.pathSamples,
    MEASURING.arrayBytes / MIB,
    MEASURING.jsonValues,
  ],
  [
    'measure.md',
    '| getCutout | # images of all datasources, # datasources beside the first, # MiB of values of an image, # MiB of all',
    MEASURING.seriesImages,
    MEASURING.cutoutSources,
    MEASURING.arrayBytes / MIB,
    (MEASURING.cubeValues * 4) / MIB,
  ],
  [
    'measure.md',
    '| getSolarMap | # x # cells, # datasources, # images of each',
    MAPS.width,
    MAPS.height,
    MAPS.sources,
    MAPS.images,
  ],
  ['measure.md', '| all series | # million pixels', MEASURING.seriesPixels / 1e6],
  ['archive.md', 'more than # MiB, or beyond the memory and work limits', UPLOAD.bodyBytes / MIB],
  ['archive.md', 'in steps of up to # that the command requests', MIRROR_STEP.files],
  ['archive.md', 'At most # requests a second, # at once', MIRROR_REQUESTS.perSecond, MIRROR_REQUESTS.parallel],
  ['archive.md', 'At most # files are sent in a minute, and # wait', MIRROR_STEP.sent, MIRROR_STEP.waiting],
  ['operate.md', '`?limit=#` shows up to # entries', AUDIT.maxShownEntries, AUDIT.maxShownEntries],
  ['operate.md', 'Entries are kept for # days', AUDIT.lifeMs / DAY_MS],
  ['operate.md', 'It keeps up to # MiB of responses', LOCAL_CACHE.bytes / MIB],
  ['operate.md', 'a response of more than # MiB', LOCAL_CACHE.responseBytes / MIB],
  ['operate.md', '# purges a minute and # at once', LOCAL_CACHE.purgesPerMinute, LOCAL_CACHE.purgesAtOnce],
];

const cases = STATEMENTS.map(([page, statement, ...figures]) => ({ page, statement, figures }));

it.each(cases)('docs/$page has the figures of the constants in: $statement', ({ page, statement, figures }) => {
  const parts = statement.split('#').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pattern = parts.join('(\\d+(?:,\\d{3})*)');
  const found = [...read(`docs/${page}`).matchAll(new RegExp(pattern, 'g'))];
  expect(found).toHaveLength(1);
  expect(found[0]!.slice(1).map((text) => Number(text.replaceAll(',', '')))).toEqual(figures);
});
