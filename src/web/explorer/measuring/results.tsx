// What a measurement has found so far: its progress, its plot, what it has no values of, its files and code.

import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { seriesPath } from '../api/measuring.ts';
import { reasonsOf, type Series, type SeriesRow } from '../model/series.ts';
import { seriesCode } from '../model/series-code.ts';
import { Button, Download, Status } from '../page/controls.tsx';
import { Failure } from '../page/loading.tsx';
import { durationText } from '../page/numbers.ts';
import { CodeTabs } from '../panels/code.tsx';
import { sourceName } from '../store/state.ts';
import { measuring } from '../texts/more.ts';
import { fill, texts } from '../texts.ts';
import { type Run, start, stop } from './run.ts';
import { isOfLevels } from './state.ts';

function Progress({ target, done, total }: { readonly target: unknown; readonly done: number; readonly total: number | null }) {
  return (
    <div class="measuring">
      <progress aria-label={measuring.progress} {...(total === null ? {} : { value: done, max: total })} />
      <Status>{total === null ? texts.loadingPart : fill(measuring.imagesOf, { done, total })}</Status>
      <Button label={measuring.stop} act={() => stop(target)} id="stop-measuring" />
    </div>
  );
}

function Facts<S extends Series, Row extends SeriesRow>({ run: { series, facts, rows } }: { readonly run: Run<S, Row> }) {
  if (!facts) return null;
  const { law, status, caveats, rotation } = facts;
  const reasons = [...reasonsOf(rows)].map(
    ([reason, count]) => `${count} × ${(measuring.reasons as Readonly<Record<string, string>>)[reason]}`,
  );
  const lines = [
    sourceName(series.sourceId),
    law === null || status === null ? measuring.ofLevels : fill(measuring.law, { law, status: measuring.statuses[status] }),
    ...(series.cadenceSeconds === null ? [] : [fill(measuring.every, { interval: durationText(series.cadenceSeconds) })]),
    ...(rotation ? [measuring.tracked] : []),
    ...reasons,
  ];
  return (
    <div class="quiet" id="measured-facts">
      <p>{lines.join(' · ')}</p>
      {reasonsOf(rows).has('unconfirmed') && <p>{measuring.unconfirmed}</p>}
      {(series.isOfLevels ? [] : caveats).map((caveat) => (
        <p key={caveat} lang="en">
          {caveat}
        </p>
      ))}
    </div>
  );
}

const FILES = {
  getLightCurve: { csv: 'CSV', fits: 'FITS', svg: 'SVG', png: 'PNG' },
  getTimeDistance: { fits: 'FITS', npy: 'numpy', png: 'PNG' },
} as const;

function Files({ series }: { readonly series: Series }) {
  return (
    <>
      <p class="links">
        {Object.entries(FILES[series.operation]).map(([format, name]) => (
          <Download label={name} key={format} href={seriesPath(series, format)} />
        ))}
      </p>
      <CodeTabs
        label={measuring.code}
        codes={seriesCode({ series, address: (format) => location.origin + seriesPath(series, format) })}
      />
    </>
  );
}

interface ResultProps<S extends Series, Row extends SeriesRow> {
  readonly target: Signal<Run<S, Row> | null>;
  readonly children: ComponentChildren;
}

export function Result<S extends Series, Row extends SeriesRow>({ target, children }: ResultProps<S, Row>) {
  const run = target.value;
  const element = useRef<HTMLDivElement>(null);
  const hasFailed = run?.state === 'failed';
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current) element.current?.scrollIntoView({ block: hasFailed ? 'nearest' : 'start' });
    wasRunning.current = run?.state === 'running';
  }, [run?.state]);
  if (!run) return null;
  const { state, failure, hasNoValues, rows, facts, series } = run;
  const measureLevels = () => {
    isOfLevels.value = true;
    document.getElementById('measure')?.focus();
    void start(target, { ...series, isOfLevels: true });
  };
  return (
    <div class="result" data-state={state} ref={element}>
      {state === 'running' && <Progress target={target} done={rows.length} total={facts?.rows ?? null} />}
      {hasFailed && !hasNoValues && <Failure sentences={failure} retry={() => void start(target, series)} />}
      {hasNoValues && <Failure sentences={failure} retry={measureLevels} label={measuring.measureLevels} />}
      {state === 'stopped' && <p class="quiet">{measuring.stopped}</p>}
      {facts && children}
      <Facts run={run} />
      {!hasNoValues && <Files key={seriesPath(series, 'json')} series={series} />}
    </div>
  );
}
