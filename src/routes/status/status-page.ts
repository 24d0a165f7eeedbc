// The status for people: what is late and since when, the upstreams, the movie queue, and 30 days of images of each instrument.
import { SERVICE_NAME } from '../../config/identity.ts';
import { STATUS } from '../../config/limits/status.ts';
import { isLateOrFailing, type State } from '../../domain/status/states.ts';
import { formatDateTime } from '../../domain/time.ts';
import { PRIVATE_COPY } from '../../http/cache-policy.ts';
import { BASE_STYLE, framed, type PagePolicy, pageReply } from '../../http/html.ts';
import type { Representation } from '../../http/response.ts';
import type { DayCounts } from '../../services/status/day-counts.ts';
import type { ServiceStatus } from '../../services/status/service-status.ts';
import { escapeHtml } from '../../util/markup.ts';

const STYLE = `${BASE_STYLE}
main{max-width:52rem;margin:2rem auto}h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}th{font-weight:600}
.state{font-weight:600;white-space:nowrap}.ok{color:light-dark(#17703f,#7ddc8b)}.late{color:light-dark(#7a4a00,#ffc14d)}
.failing{color:light-dark(#b3261e,#ff8a80)}.stopped{color:light-dark(#555b66,#c0c0c0)}
svg{display:block;width:100%;height:2.2rem}rect{fill:var(--accent)}.none{fill:light-dark(#e2b6b6,#5a3030)}.chart{width:45%}.wide{overflow-x:auto}
@media(max-width:34rem){.state{white-space:normal}.chart{min-width:5rem}
.flow tr,.flow th,.flow td{display:block;border:0;padding:0}.flow tr{border-bottom:1px solid var(--line);padding:.5rem 0}}`;

const POLICY: PagePolicy = { loads: [], formAction: "'none'", frameAncestors: "'none'" };

const WORDS: Readonly<Record<State, string>> = { ok: 'on time', late: 'late', failing: 'failing', stopped: 'no new images' };

const stateCell = (state: State) => `<td class="state ${state}">${WORDS[state]}</td>`;
const time = (ms: number) => `${formatDateTime(ms)} UTC`;

export function statusPage(status: ServiceStatus, days: readonly DayCounts[]): Promise<Representation> {
  const late = status.states.filter(isLateOrFailing);
  const body = framed(`<h1>Status of ${SERVICE_NAME}</h1>
<p>${summary(late.length)} At ${time(status.nowMs)}; <a href="/status.rss">changes as a feed</a>.</p>
${lateTable(late)}
${instrumentTable(status, days)}
${upstreamTable(status)}
${movieText(status)}`);
  const head = '<link rel="alternate" type="application/rss+xml" title="Changes of the status" href="/status.rss">\n';
  const page = { title: `${SERVICE_NAME}: status`, style: STYLE, head, body, policy: POLICY };
  return pageReply(page, { policy: PRIVATE_COPY });
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

function instrumentTable({ instruments, states }: ServiceStatus, days: readonly DayCounts[]): string {
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
  if (!movies) return '';
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
