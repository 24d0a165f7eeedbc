// The ground of projections of the surface: the map that the service makes of the last 27 days, below the layers.
import '../core.ts';
import { useEffect, useRef } from 'preact/hooks';
import { pathOf } from '../../../../clients/typescript/core.ts';
import { MAP_SOURCES } from '../../../config/limits/maps.ts';
import { areOfOneLine } from '../../../domain/catalogue/lines.ts';
import { dayStart, formatIso } from '../../../domain/time.ts';
import { isDrawn, type Layer } from '../../../picture/layers.ts';
import { recordOf } from '../../../picture/projections/projections.ts';
import { DAY_MS } from '../../../util/durations.ts';
import { requestResponse } from '../api/request.ts';
import { topicsOfSource } from '../model/topics.ts';
import { useLoaded } from '../page/loading.tsx';
import { useCatalogue } from '../panels/catalogue.ts';
import { currentPicture } from '../store/open.ts';
import { ground, isMoving, shown, sources, trouble } from '../store/state.ts';

/** The end of the day of a time, or the last midnight: maps of past ones are stored. */
const midnightAfter = (atMs: number) => dayStart(Math.min(atMs + DAY_MS, Date.now()));

/** The shown datasources of the disc in the line of the highest one, which comes first and gives a map its colours. */
export function mapSources(layers: readonly Layer[]): string {
  const discs = layers.toReversed().flatMap((layer) => {
    const source = isDrawn(layer) && sources.value?.find(({ sourceId }) => sourceId === layer.sourceId);
    return source && !topicsOfSource(source.name, source.path).includes('ejections') ? [source] : [];
  });
  const [first] = discs;
  const same = discs.filter((one) => one === first || areOfOneLine(one.path.at(-1), first?.path.at(-1)));
  return [...new Set(same.map(({ sourceId }) => sourceId))].slice(0, MAP_SOURCES).join();
}

function show(map: typeof ground.value): void {
  ground.value = map;
  currentPicture()?.redraw();
}

export function Ground() {
  const catalogue = useCatalogue();
  const path = useRef('');
  const { layers, atMs, projection } = shown.value!.view;
  const sourceId = recordOf(projection).finds === 'sun' ? mapSources(layers) : '';
  // What moves keeps the map of its beginning.
  if (!isMoving.value) path.current = sourceId && pathOf('getSolarMap', { sourceId, date: formatIso(midnightAfter(atMs)) });
  const key = path.current;
  const map = useLoaded(key, async (signal) => createImageBitmap(await (await requestResponse(key, { signal })).blob()));
  const { failure, retry } = catalogue.failure ? catalogue : map;
  const picture = map.last?.key === key ? map.last.value : null;
  useEffect(() => {
    if (failure) trouble.value = { sentence: failure, retry };
    show(picture && { path: key, picture });
    return () => show(null);
  }, [picture, failure]);
  return null;
}
