// The status of the service: /status for people, /status.rss for readers of feeds, /metrics for Prometheus.

import { BASE_STYLE, framed, pageReply } from '../../platform/http/html.ts';
import type { OperationContext } from '../../platform/http/operation.ts';
import { type Route, rowAt } from '../../platform/http/request.ts';
import { NO_STORE, PRIVATE_COPY, type Representation, textReply } from '../../platform/http/response.ts';
import { STATUS } from '../../platform/limits/status.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { SERVICE_NAME, SERVICE_VERSION } from '../../platform/util/identity.ts';
import { escapeHtml, escapeXml } from '../../platform/util/markup.ts';
import { formatDateTime } from '../../sun/time.ts';
import { type Operators, operatorFor, permit } from '../admin-scopes.ts';
import type { OperationCount } from './analytics-sql.ts';
import type { State, StateChange } from './d1-status-register.ts';
import { type DayCounts, isLateOrFailing, type ServiceStatus, type StatusService } from './service-status.ts';

interface StatusServices extends Operators {
  readonly status: StatusService;
  readonly requestCounts: () => Promise<readonly OperationCount[]>;
}

type Row = Pick<Route<OperationContext<StatusServices>>, 'handle'>;

const row = (place: string, handle: Row['handle']) => ({ kind: 'status', ...rowAt(place), handle }) as const;

/** `/metrics` is for operators with the scope `metrics`. */
export const statusRoutes = [
  row('GET /status', async ({ services: { status } }) => statusPage(await status.read(), await status.dayCounts())),
  row('GET /status\\.rss', async ({ services: { status }, url }) => statusFeed(await status.changes(), url.origin)),
  row('GET /metrics', async ({ services, headers }) => {
    permit(await operatorFor(headers, services), 'metrics');
    const text = metricsText(await services.status.read(), await services.requestCounts());
    return textReply(METRICS_TYPE, text, { policy: NO_STORE });
  }),
];

const RSS_TYPE = 'application/rss+xml; charset=utf-8';

/** The changes of states as RSS 2.0. @param origin Of the service, which also makes the ids of the items */
function statusFeed(changes: readonly StateChange[], origin: string): Promise<Representation> {
  const items = changes.map(
    ({ id, atMs, subject, before, state, sentence }) => `<item>
<title>${escapeXml(`${subject}: ${state}`)}</title>
<link>${escapeXml(`${origin}/status`)}</link>
<guid isPermaLink="false">${escapeXml(`${origin}/status#${id}`)}</guid>
<pubDate>${new Date(atMs).toUTCString()}</pubDate>
<description>${escapeXml(`It was ${before}. ${sentence}`)}</description>
</item>`,
  );
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${escapeXml(SERVICE_NAME)}: status</title>
<link>${escapeXml(`${origin}/status`)}</link>
<description>Changes of what is late, failing or well again.</description>
<atom:link href="${escapeXml(`${origin}/status.rss`)}" rel="self" type="application/rss+xml"/>
${items.join('\n')}
</channel></rss>
`;
  return textReply(RSS_TYPE, text, { policy: PRIVATE_COPY });
}

const STYLE = `${BASE_STYLE}
main{max-width:52rem;margin:2rem auto}h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}th{font-weight:600}
.state{font-weight:600;white-space:nowrap}.ok{color:light-dark(#17703f,#7ddc8b)}.late{color:light-dark(#7a4a00,#ffc14d)}
.failing{color:light-dark(#b3261e,#ff8a80)}.stopped{color:light-dark(#555b66,#c0c0c0)}
svg{display:block;width:100%;height:2.2rem}rect{fill:var(--accent)}.none{fill:light-dark(#e2b6b6,#5a3030)}.chart{width:45%}.wide{overflow-x:auto}
@media(max-width:34rem){.state{white-space:normal}.chart{min-width:5rem}
.flow tr,.flow th,.flow td{display:block;border:0;padding:0}.flow tr{border-bottom:1px solid var(--line);padding:.5rem 0}}`;

const WORDS: Readonly<Record<State, string>> = { ok: 'on time', late: 'late', failing: 'failing', stopped: 'no new images' };

const stateCell = (state: State) => `<td class="state ${state}">${WORDS[state]}</td>`;
const time = (ms: number) => `${formatDateTime(ms)} UTC`;

function statusPage(status: ServiceStatus, days: DayCounts): Promise<Representation> {
  const late = status.states.filter(isLateOrFailing);
  const body = framed(`<h1>Status of ${SERVICE_NAME}</h1>
<p>${summary(late.length)} At ${time(status.nowMs)}; <a href="/status.rss">changes as a feed</a>.</p>
${lateTable(late)}
${instrumentTable(status, days)}
${upstreamTable(status)}
${movieText(status)}`);
  const head = '<link rel="alternate" type="application/rss+xml" title="Changes of the status" href="/status.rss">\n';
  return pageReply({ title: `${SERVICE_NAME}: status`, style: STYLE, head, body }, { policy: PRIVATE_COPY });
}

const summary = (late: number) =>
  late === 0 ? 'Nothing is late.' : `${late} ${late === 1 ? 'part is' : 'parts are'} late or failing.`;

/** A table under a heading. On narrow screens it scrolls by itself, or its cells follow each other (`flow`). */
const section = (title: string, rows: readonly string[], { head = '', kind = 'wide' } = {}) =>
  `<h2>${title}</h2><div class="${kind}" tabindex="0" role="region" aria-label="${title}"><table>${head}<tbody>${rows.join('\n')}</tbody></table></div>`;

function lateTable(late: ServiceStatus['states']): string {
  if (late.length === 0) return '';
  const rows = late.map(({ subject, state, sinceMs, sentence }) => {
    const since = sinceMs === null ? 'just now' : `since ${time(sinceMs)}`;
    return `<tr><th scope="row">${escapeHtml(subject)}</th>${stateCell(state)}<td>${since}</td><td>${escapeHtml(sentence)}</td></tr>`;
  });
  return section('Late or failing', rows, { kind: 'flow' });
}

function instrumentTable({ instruments, states }: ServiceStatus, days: DayCounts): string {
  const rows = Object.entries(instruments).map(([name, status]) => {
    const state = states.find(({ subject }) => subject === `instrument ${name}`)?.state ?? 'ok';
    const counts = days.find(({ instrument }) => instrument === name)?.counts ?? [];
    const newest = status.time.replace('T', ' ').replace('Z', '');
    const title = `<th scope="row">${escapeHtml(name)}</th>`;
    return `<tr>${title}${stateCell(state)}<td>${newest}</td><td class="chart">${chart(name, counts)}</td></tr>`;
  });
  if (rows.length === 0) return '<p>The archive has no images.</p>';
  const columns = `<th scope="col">instrument</th><th scope="col">state</th><th scope="col">newest image, UTC</th>`;
  const head = `<thead><tr>${columns}<th scope="col">images a day, ${STATUS.chartDays} days</th></tr></thead>`;
  return section('Instruments', rows, { head });
}

function upstreamTable({ heartbeats, states }: ServiceStatus): string {
  const rows = heartbeats.map(({ name, okAtMs }) => {
    const state = states.find(({ subject }) => subject === name)?.state ?? 'ok';
    const last = okAtMs === null ? 'no response yet' : `last response ${time(okAtMs)}`;
    return `<tr><th scope="row">${escapeHtml(name)}</th><td class="state ${state}">${state === 'ok' ? 'responds' : 'failing'}</td><td>${last}</td></tr>`;
  });
  return rows.length === 0 ? '' : section('Upstreams', rows);
}

function movieText({ movies }: ServiceStatus): string {
  const minutes = Math.round((movies.oldestWaitMs ?? 0) / 60_000);
  const waiting = movies.queued === 0 ? 'No movie waits' : `${movies.queued} wait, the oldest for ${minutes} minutes`;
  const failed = movies.failed.map(({ reason, count }) => `<li>${count} failed: ${escapeHtml(reason || 'no reason given')}</li>`);
  const list = failed.length > 0 ? `<ul>${failed.join('')}</ul>` : '';
  return `<h2>Movies</h2><p>${waiting}; ${movies.processing} are being built. In the last day ${movies.repeated} were restarted.</p>${list}`;
}

/** Sizes of a chart, and the height of its lowest bar. */
const CHART = { height: 20, bar: 4, least: 1.5 } as const;

/** A bar chart as SVG, without scripts and styles of its own, with a bar for each day; a day without images has a low bar of another colour. */
export function chart(name: string, counts: readonly number[]): string {
  const most = Math.max(1, ...counts);
  const filled = counts.filter((count) => count > 0).length;
  const bars = counts.map((count, i) => {
    const height = count > 0 ? Math.max(CHART.least, (CHART.height * count) / most) : CHART.least;
    const box = `x="${CHART.bar * i}" y="${(CHART.height - height).toFixed(1)}" width="${CHART.bar - 1}" height="${height.toFixed(1)}"`;
    return `<rect${count > 0 ? '' : ' class="none"'} ${box}/>`;
  });
  const label = `${name}: images on ${filled} of ${counts.length} days, at most ${Math.max(0, ...counts)} a day`;
  const box = `0 0 ${CHART.bar * Math.max(1, counts.length)} ${CHART.height}`;
  return `<svg role="img" aria-label="${escapeHtml(label)}" viewBox="${box}" preserveAspectRatio="none">${bars.join('')}</svg>`;
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function gauge<T>(name: string, help: string, items: readonly T[], sampleOf: (item: T) => Sample): string[] {
  if (items.length === 0) return [];
  const lines = items.map(sampleOf).map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `helioedge_${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
  });
  return [`# HELP helioedge_${name} ${help}`, `# TYPE helioedge_${name} gauge`, ...lines];
}

const single = (name: string, help: string, value: number) => gauge(name, help, [value], () => [{}, value]);

const seconds = (ms: number | null) => (ms ?? 0) / SECOND_MS;

export function metricsText(status: ServiceStatus, counts: readonly OperationCount[]): string {
  const { instruments, heartbeats, movies, mirror, states, jobs, deadLetters, nowMs } = status;
  const ages = Object.entries(instruments);
  const [beatHelp, jobHelp] = [
    'Time of the last response of an upstream; 0 for none.',
    'Time of the last success of a job of the clock; 0 for none.',
  ];
  const lines = [
    ...gauge('info', 'Version of the service.', [SERVICE_VERSION], (version) => [{ version }, 1]),
    ...single('status_timestamp_seconds', 'Time of these values.', seconds(nowMs)),
    ...gauge('image_age_seconds', 'Age of the newest image of an instrument.', ages, ([instrument, { secondsBehind }]) => [
      { instrument },
      secondsBehind,
    ]),
    ...gauge('state', '1 for the present state of a subject.', states, ({ subject, state }) => [{ subject, state }, 1]),
    ...gauge('upstream_ok_timestamp_seconds', beatHelp, heartbeats, ({ name, okAtMs }) => [{ upstream: name }, seconds(okAtMs)]),
    ...gauge('upstream_failures', 'Failures of an upstream since its last response.', heartbeats, ({ name, failures }) => [
      { upstream: name },
      failures,
    ]),
    ...gauge('job_ok_timestamp_seconds', jobHelp, jobs, ({ name, okAtMs }) => [{ job: name }, seconds(okAtMs)]),
    ...gauge('job_late', '1 for a job whose last success is too long ago.', jobs, ({ name, isLate }) => [
      { job: name },
      Number(isLate),
    ]),
    ...single('dead_letters', 'Messages that no consumer could work off.', deadLetters),
    ...REQUEST_GAUGES.flatMap(([member, name, help]) =>
      gauge(name, help, counts, (count) => [{ operation: count.operation }, count[member]]),
    ),
    ...(mirror ? mirrorLines(mirror) : []),
    ...movieLines(movies),
  ];
  return `${lines.join('\n')}\n`;
}

const REQUEST_GAUGES = [
  ['requests', 'requests', 'Requests of the last five minutes.'],
  ['faults', 'request_faults', 'Failures of the last five minutes that are faults of the service, whatever their status.'],
  ['hits', 'request_hits', 'Responses of the last five minutes from the edge cache.'],
  ['seconds', 'request_seconds', 'Time of the requests of the last five minutes.'],
] as const;

const mirrorLines = ({ added, refused, open, waiting, failing }: NonNullable<ServiceStatus['mirror']>) => [
  ...single('mirror_images_added', 'Images that the mirror has added.', added),
  ...single('mirror_files_refused', 'Files of the mirror that the ingest has refused.', refused),
  ...single('mirror_open_parts', 'Incomplete parts of the lists of the mirror.', open),
  ...single('mirror_files_waiting', 'Listed files that wait for their copies.', waiting),
  ...single('mirror_failing_sources', 'Sources at which the last step of the mirror failed.', failing),
];

const movieLines = ({ queued, processing, oldestWaitMs, repeated, expired, failed }: ServiceStatus['movies']) => [
  ...single('movies_queued', 'Movies that wait.', queued),
  ...single('movies_processing', 'Movies that are being built.', processing),
  ...single('movies_oldest_wait_seconds', 'Wait of the oldest queued movie.', seconds(oldestWaitMs)),
  ...single('movies_repeated_day', 'Movies of the last day that were restarted.', repeated),
  ...single('movies_expired_leases_day', 'Attempts at movies of the last day whose worker fell silent.', expired),
  ...gauge('movies_failed_day', 'Failed movies of the last day by reason.', failed, ({ reason, count }) => [{ reason }, count]),
];
