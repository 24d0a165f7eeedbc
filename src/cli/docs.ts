// npm run docs: writes settings and limits into docs/ and wrangler.toml.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUDGETS, COSTS, RATES, type RateName, TURNS, type Usage } from '../platform/limits/admission.ts';
import { RATE_LIMIT_PERIOD_SECONDS } from '../platform/limits/http.ts';
import { MEMORY_RETRY_SECONDS, memoryLimits } from '../platform/limits/memory.ts';
import { MOVIE_LIMITS } from '../platform/limits/movies.ts';
import { PRICES } from '../platform/limits/prices.ts';
import { CLIENT_VARIABLES } from '../platform/settings/clients.ts';
import { type NamedVariable, SCHEMA } from '../platform/settings/schema.ts';
import type { Variable } from '../platform/settings/variable.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { projectRoot } from './command.ts';

const code = (text: unknown): string => `\`${text}\``;

function defaultOf({ type, unset }: Variable): string {
  const { success, data } = type.safeParse(undefined);
  if (!success) return 'required';
  if (unset !== undefined) return unset;
  return Array.isArray(data) && data.length === 0 ? 'none' : code(data);
}

/** What a value may be, which no control character is. */
const valuesOf = ({ type, unit }: Variable): string => unit ?? type.safeParse('\u0000').error?.issues[0]?.message ?? '';

function row(variable: NamedVariable): string {
  const { name, description, deployed, isSecret, isChosenByStart } = variable;
  const isSet = deployed !== undefined ? ` ${code(deployed)} in wrangler.toml.` : '';
  const isLocal = isChosenByStart ? ' Chosen by `npm start`.' : '';
  return `| ${code(name)}${isSecret ? ' (secret)' : ''} | ${valuesOf(variable)} | ${defaultOf(variable)} | ${description}${isSet}${isLocal} |`;
}

function table(title: string, variables: readonly NamedVariable[]): string {
  const rows = variables.filter(({ isInternal }) => !isInternal).map(row);
  return [`### ${title}`, '', '| name | value | default | meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

const settingsTables = (): string =>
  [table('Worker', SCHEMA.worker), table('npm commands', SCHEMA.launcher), table('Movie worker', SCHEMA.movieWorker)].join('\n');

const varsBlock = (): string =>
  SCHEMA.worker
    .flatMap(({ name, description, deployed }) => (deployed === undefined ? [] : [`# ${description}\n${name} = "${deployed}"\n`]))
    .join('');

/** Dollars of a usage, without what the plan includes. */
export const dollarsOf = (usage: Usage): number =>
  Object.entries(usage).reduce((all, [what, amount]) => all + (amount * PRICES[what as keyof Usage]) / 1e6, 0);

/** Limits of an address, in times of which its network and the location of the platform have theirs. */
export const SHARED_LIMITS = {
  network: CLIENT_VARIABLES.NETWORK_FACTOR.type.parse(undefined),
  location: CLIENT_VARIABLES.LOCATION_FACTOR.type.parse(undefined),
};

function limitsTable(): string {
  const number = (value: number) => value.toLocaleString('en');
  const { network, location } = SHARED_LIMITS;
  const minute = (what: string, rate: RateName, { perUnit = 1, usage }: { perUnit?: number; usage?: Usage }) => {
    const { name, units } = RATES[rate];
    const amount = perUnit === 1 ? number(units) : `${number(units * perUnit)}, in ${units} units`;
    const [shared, refused] = rate === 'GATEWAY_LIMIT' ? ['', ''] : [`; location ${location} times`, '; location 503'];
    const money = usage ? `$${Math.round(dollarsOf(usage) * units * (DAY_MS / MINUTE_MS))} a day` : '';
    return `| ${what} (\`${name}\`) | ${amount} a minute | address; network ${network} times${shared} | 429, \`Retry-After: 60\`${refused} | ${money} |`;
  };
  const rates = (['GATEWAY_LIMIT', 'RENDER_LIMIT', 'JPIP_LIMIT'] as const).map((rate) =>
    minute(RATES[rate].counts, rate, RATES[rate]),
  );
  const costs = Object.entries(COSTS).flatMap(([name, cost]) =>
    name === 'requests' ? [] : [minute(cost.unit, cost.rate, cost)],
  );
  const budgets = Object.values(BUDGETS).map(({ subject, unit, clientHour, clientDay, allDay }) => {
    const amounts = `${number(clientHour)} an hour, ${number(clientDay)} a day; all clients ${number(allDay)} a day`;
    return `| ${subject} (${unit}) | ${amounts} | address, or /48 of IPv6 | not stored, or 429; all 503 | |`;
  });
  const jobs = number(memoryLimits().jobBytes / 2);
  const own = [
    `| time of a busy isolate | ${100 * TURNS.share} % | address | requests wait; 429, \`Retry-After: 1\` behind ${TURNS.longestLineMs / SECOND_MS} s of others | |`,
    `| bytes of pictures, JPIP and JPX in an isolate | ${jobs} | address | they wait; 429, \`Retry-After: ${MEMORY_RETRY_SECONDS}\` | |`,
  ];
  const head = ['| what | amount | of whom | above it | address, at most |', '| --- | --- | --- | --- | --- |'];
  return `${[...head, ...rates, ...costs, ...own, ...budgets].join('\n')}\n`;
}

/** Places of generated text: a file, the text before and after it, and the text itself. */
export const GENERATED = [
  {
    file: 'docs/configure.md',
    between: /(?<=<!-- settings -->\n\n)[\s\S]*?(?=\n<!-- end of settings -->)/,
    text: settingsTables,
  },
  { file: 'docs/limits.md', between: /(?<=<!-- limits -->\n\n)[\s\S]*?(?=\n<!-- end of limits -->)/, text: limitsTable },
  {
    file: 'docs/api.md',
    between: /(?<=up to `maxFrames` \()\d+ to \d+(?=\))/,
    text: () => `${MOVIE_LIMITS.frames.least} to ${MOVIE_LIMITS.frames.most}`,
  },
  { file: 'wrangler.toml', between: /(?<=^\[vars\]\n)[\s\S]*?(?=\n\[)/m, text: varsBlock },
  ...Object.entries(RATES).map(([binding, { units }]) => ({
    file: 'wrangler.toml',
    between: new RegExp(`(?<=name = "${binding}"\\nnamespace_id = "\\d+"\\nsimple = ){.*}`),
    text: () => `{ limit = ${units}, period = ${RATE_LIMIT_PERIOD_SECONDS} }`,
  })),
] as const;

if (import.meta.main)
  for (const { file, between, text } of GENERATED) {
    const path = join(projectRoot, file);
    const before = await readFile(path, 'utf8');
    const after = before.replace(between, text);
    if (after === before) continue;
    await writeFile(path, after);
    console.log(`${file} written`);
  }
