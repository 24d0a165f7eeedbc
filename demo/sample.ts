// npm run sample: writes images of a procedural Sun as JP2 files in the layout of the archive.
import { command, expected, instant, showProgress, sourceIds, TEXT, wholeNumber } from '../src/cli/command.ts';
import { DAY_MS } from '../src/platform/util/durations.ts';
import { DEFAULT_DAY_MS, defaultArchive, makeArchive, seriesShots } from './archive.ts';
import type { Shot } from './instruments/instrument.ts';
import { findInstrument } from './instruments/instruments.ts';

const HELP = `npm run sample -- --out DIR [options]

Writes synthetic images of the Sun as JP2 files, <DIR>/<instrument>/<YYYY>/<MM>/<DD>/<leaf>/<file>.
Existing files are kept. Without further options: the sample archive of npm start.

  --out DIR          where to write (required)
  --sources 10,13    source ids of the catalogue
  --from ISO         first instant, such as 2024-05-10T00:00:00Z
  --to ISO           last instant; 24 hours after the first unless given
  --cadence SECONDS  time between images of a source (1800)
  --size PIXELS      side of the images, 64 to 4096 (1024)
  --concurrency N    threads (one for each processor)`;
const MOST_IMAGES = 100_000;

function drawableSources(text: string): number[] {
  const ids = sourceIds('sources', text);
  if (ids.every(findInstrument)) return ids;
  throw expected('source ids that the sample can draw, separated by commas,', 'sources', text);
}

function shotsFor(values: { sources?: string; from?: string; to?: string; cadence?: string; size?: string }): Shot[] {
  if (Object.values(values).every((value) => value === undefined)) return defaultArchive();
  const fromMs = values.from === undefined ? DEFAULT_DAY_MS : instant('from', values.from);
  const toMs = values.to === undefined ? fromMs + DAY_MS - 1 : instant('to', values.to);
  if (toMs < fromMs) throw expected('an instant not before --from', 'to', values.to);
  const cadenceMs = wholeNumber('cadence', values.cadence ?? '1800', 1, 31_536_000) * 1000;
  const size = wholeNumber('size', values.size ?? '1024', 64, 4096);
  const sources = drawableSources(values.sources ?? '10,11,13,18,19,4,5');
  const count = sources.length * (Math.floor((toMs - fromMs) / cadenceMs) + 1);
  if (count > MOST_IMAGES)
    throw new Error(
      `One run makes at most ${MOST_IMAGES} images. These arguments are for ${count}: use a longer cadence or a shorter period.`,
    );
  return seriesShots({ sources, fromMs, toMs, cadenceMs, size });
}

const OPTIONS = { out: TEXT, sources: TEXT, from: TEXT, to: TEXT, cadence: TEXT, size: TEXT, concurrency: TEXT } as const;

await command(HELP, OPTIONS, async ({ values: { out, concurrency, ...rest } }) => {
  if (!out) throw expected('a directory', 'out', out);
  const shots = shotsFor(rest);
  const started = performance.now();
  const threads = concurrency === undefined ? {} : { concurrency: wholeNumber('concurrency', concurrency, 1, 64) };
  const progress = showProgress('making sample images');
  let done = 0;
  const onFile = () => progress.update(++done, shots.length);
  const { written, skipped, bytes } = await makeArchive(shots, out, { onFile, ...threads });
  progress.finish();
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${written} images written, ${skipped} there already, ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s: ${out}`,
  );
});
