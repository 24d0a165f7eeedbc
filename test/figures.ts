// Writes figures of limits into docs/ (a part of `npm run docs`): `200<!-- REQUEST_LIMITS.parameters -->` is the constant of that name, of
// `src/platform/limits/` or below; a name may be multiplied or divided, and `fixed` is a figure of another's.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPIRY_DAYS } from '../src/archive/keys.ts';
import { projectRoot } from '../src/cli/command.ts';
import { IIIF } from '../src/faces/iiif/image.ts';
import { STAC } from '../src/faces/stac/stac.ts';
import { RECIPE_LIMITS } from '../src/picture/limits.ts';
import { BUDGETS, RATES } from '../src/platform/limits/admission.ts';
import { EVENT_DAYS } from '../src/platform/limits/events.ts';
import { PICTURE_COST } from '../src/platform/limits/rendering.ts';
import { MOVIE_VARIABLES } from '../src/platform/settings/movies.ts';
import { MIN_TOKEN_CHARACTERS, SERVICE_VARIABLES } from '../src/platform/settings/service.ts';
import { SHARD_COUNT } from '../src/platform/storage/shards.ts';
import * as durations from '../src/platform/util/durations.ts';
import { randomToken } from '../src/sharing/videos/sharing-access.ts';

const limits = join(projectRoot, 'src/platform/limits');
const modules = await Promise.all(readdirSync(limits).map((name) => import(join(limits, name)) as Promise<object>));
const PICTURE_LIMIT = RATES.PICTURE_LIMIT.units;
const { MOVIE_QUEUE_COST: queueCost, MOVIE_CLIENT_COST: clientCost } = MOVIE_VARIABLES;
const NAMED: Readonly<Record<string, unknown>> = {
  ...Object.assign({}, durations, ...modules),
  ...{ EXPIRY_DAYS, IIIF, MIN_TOKEN_CHARACTERS, PICTURE_LIMIT, RECIPE_LIMITS, SHARD_COUNT, STAC },
  BUDGET_COUNT: Object.keys(BUDGETS).length,
  FIRST_YEAR: new Date(EVENT_DAYS.first).getUTCFullYear(),
  JPX_FRAMES: SERVICE_VARIABLES.JPX_FRAMES.type.parse(undefined),
  MiB: 1 << 20,
  PICTURE_SECONDS: Math.round((PICTURE_LIMIT * PICTURE_COST.unitPixels * PICTURE_COST.msPerPixel) / durations.SECOND_MS),
  QUEUE_CLIENTS: queueCost.type.parse(undefined) / clientCost.type.parse(undefined),
  TOKEN_BITS: 8 * Buffer.from(randomToken(), 'base64url').length,
};

const numberOf = (name: string): number =>
  /^\d+$/.test(name)
    ? Number(name)
    : (name.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)?.[part], NAMED) as number);

/** @throws RangeError where a name is that of no number, or the value is no whole number */
function figure(expression: string): number {
  const [first = '', ...rest] = expression.split(' ');
  let value = numberOf(first);
  for (let i = 0; i < rest.length; i += 2)
    value = rest[i] === '/' ? value / numberOf(rest[i + 1]!) : value * numberOf(rest[i + 1]!);
  if (Number.isInteger(value)) return value;
  throw new RangeError(`Expected names of constants whose value is a whole number for a figure of docs/, got ${expression}.`);
}

/** A figure, which may have commas between thousands, and what it is. */
export const FIGURE = /(\d+(?:,\d{3})*)<!-- (?!fixed )([^>]+) -->/g;

/** The text of a page with the present figures. */
export const withFigures = (page: string): string =>
  page.replace(FIGURE, (_, before: string, expression: string) => {
    const value = figure(expression);
    return `${before.includes(',') ? value.toLocaleString('en') : value}<!-- ${expression} -->`;
  });

const folder = join(projectRoot, 'docs');
export const PAGES = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => join(folder, name));

if (import.meta.main) for (const path of PAGES) writeFileSync(path, withFigures(readFileSync(path, 'utf8')));
