// The status as text for Prometheus (exposition format 0.0.4).
import { SERVICE_VERSION } from '../../config/identity.ts';
import type { OperationCount } from '../../ports/status.ts';
import type { ServiceStatus } from '../../services/status/service-status.ts';
import { SECOND_MS } from '../../util/durations.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function gauge(name: string, help: string, samples: readonly Sample[]): string[] {
  if (samples.length === 0) return [];
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `helioedge_${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
  });
  return [`# HELP helioedge_${name} ${help}`, `# TYPE helioedge_${name} gauge`, ...lines];
}

const single = (name: string, help: string, value: number) => gauge(name, help, [[{}, value]]);

export function metricsText(status: ServiceStatus, counts: readonly OperationCount[]): string {
  const { instruments, heartbeats, movies, mirror, states, jobs, deadLetters, nowMs } = status;
  const ages = Object.entries(instruments).map(([instrument, { secondsBehind }]): Sample => [{ instrument }, secondsBehind]);
  const beats = heartbeats.map(({ name, okAtMs }): Sample => [{ upstream: name }, (okAtMs ?? 0) / SECOND_MS]);
  const lines = [
    ...gauge('info', 'Version of the service.', [[{ version: SERVICE_VERSION }, 1]]),
    ...single('status_timestamp_seconds', 'Time of these values.', nowMs / SECOND_MS),
    ...gauge('image_age_seconds', 'Age of the newest image of an instrument.', ages),
    ...gauge(
      'state',
      '1 for the present state of a subject.',
      states.map(({ subject, state }): Sample => [{ subject, state }, 1]),
    ),
    ...gauge('upstream_ok_timestamp_seconds', 'Time of the last response of an upstream; 0 for none.', beats),
    ...gauge(
      'upstream_failures',
      'Failures of an upstream since its last response.',
      heartbeats.map(({ name, failures }): Sample => [{ upstream: name }, failures]),
    ),
    ...gauge(
      'job_ok_timestamp_seconds',
      'Time of the last success of a job of the clock; 0 for none.',
      jobs.map(({ name, okAtMs }): Sample => [{ job: name }, (okAtMs ?? 0) / SECOND_MS]),
    ),
    ...gauge(
      'job_late',
      '1 for a job whose last success is too long ago.',
      jobs.map(({ name, isLate }): Sample => [{ job: name }, Number(isLate)]),
    ),
    ...single('dead_letters', 'Messages that no consumer could work off.', deadLetters),
    ...requestLines(counts),
    ...(mirror ? mirrorLines(mirror) : []),
    ...(movies ? movieLines(movies) : []),
  ];
  return `${lines.join('\n')}\n`;
}

const requestLines = (counts: readonly OperationCount[]) =>
  (
    [
      ['requests', 'requests', 'Requests of the last five minutes.'],
      ['faults', 'request_faults', 'Failures of the last five minutes that are faults of the service, whatever their status.'],
      ['hits', 'request_hits', 'Responses of the last five minutes from the edge cache.'],
      ['seconds', 'request_seconds', 'Time of the requests of the last five minutes.'],
    ] as const
  ).flatMap(([member, name, help]) =>
    gauge(
      name,
      help,
      counts.map((count): Sample => [{ operation: count.operation }, count[member]]),
    ),
  );

const mirrorLines = ({ added, refused, open, waiting, failing }: NonNullable<ServiceStatus['mirror']>) => [
  ...single('mirror_images_added', 'Images that the mirror has added.', added),
  ...single('mirror_files_refused', 'Files of the mirror that the ingest has refused.', refused),
  ...single('mirror_open_parts', 'Incomplete parts of the lists of the mirror.', open),
  ...single('mirror_files_waiting', 'Listed files that wait for their copies.', waiting),
  ...single('mirror_failing_sources', 'Sources at which the last step of the mirror failed.', failing),
];

const movieLines = ({ queued, processing, oldestWaitMs, repeated, expired, failed }: NonNullable<ServiceStatus['movies']>) => [
  ...single('movies_queued', 'Movies that wait.', queued),
  ...single('movies_processing', 'Movies that are being built.', processing),
  ...single('movies_oldest_wait_seconds', 'Wait of the oldest queued movie.', (oldestWaitMs ?? 0) / SECOND_MS),
  ...single('movies_repeated_day', 'Movies of the last day that were restarted.', repeated),
  ...single('movies_expired_leases_day', 'Attempts at movies of the last day whose worker fell silent.', expired),
  ...gauge(
    'movies_failed_day',
    'Failed movies of the last day by reason.',
    failed.map(({ reason, count }): Sample => [{ reason }, count]),
  ),
];
