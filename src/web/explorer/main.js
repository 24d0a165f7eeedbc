// The explorer: selects a source and a time, shows the image, steps to its neighbours.
import {
  catalogue,
  closestImage,
  fileAddress,
  headerAddress,
  isoDate,
  neighbours,
  recordAddress,
  sampleProgress,
  sharedView,
} from './api.js';
import { SourceChoice } from './catalogue.js';
import { addGestures } from './gestures.js';
import { dateText, distanceText, sampleText, scaleText } from './text.js';
import { Viewer } from './viewer.js';

const FIRST_SOURCE_ID = 10;
const SAMPLE_INTERVAL_MS = 5_000;

const part = (id) => document.getElementById(id);
const say = (text) => {
  part('status').textContent = text;
};

const viewer = new Viewer(part('view'), {
  onView: ({ screen, tiles }) => {
    part('view-scale').textContent = scaleText(screen);
    part('tile-scale').textContent = scaleText(tiles);
  },
  onTrouble: () => say('Some of this image could not be drawn.'),
});

let source;
const NO_DATES = { previous: null, next: null };
/** Dates of the images before and after the current one; unknown while an image loads. */
let adjacent = NO_DATES;
let stepping = Promise.resolve();
let loading = new AbortController();

/** The date field as ISO 8601, or an empty text. Browsers leave out seconds of 0. */
const chosenDate = () => part('date').value && `${part('date').value.padEnd(19, ':00')}Z`;

/** Shows the image of the chosen source that is nearest to an ISO date. */
async function open(date) {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const { sourceId } = source;
  adjacent = NO_DATES;
  say('Looking for the image');
  part('date').value = date.slice(0, 19);
  history.replaceState(null, '', `#${new URLSearchParams({ sourceId, date: `${date.slice(0, 19)}Z` })}`);
  try {
    const image = await closestImage(sourceId, date, signal);
    say('');
    viewer.show(image);
    describe(image, date);
    setAdjacent(await neighbours(sourceId, image.takenAt, signal));
  } catch (error) {
    if (signal.aborted) return;
    say(error.message);
    setAdjacent(NO_DATES);
  }
}

function describe(image, date) {
  part('name').textContent = image.name;
  part('taken').textContent = dateText(image.takenAt);
  part('distance').textContent = distanceText(image.distanceSeconds);
  part('image-scale').textContent = `${image.width} × ${image.height}, ${scaleText(image.scale)}`;
  part('ids').textContent = `${source.sourceId}, ${image.id}`;
  part('files').replaceChildren(
    link('JPEG 2000 file', fileAddress(image.id)),
    link('FITS header (XML)', headerAddress(image.id)),
    link('Image record (JSON)', recordAddress(source.sourceId, date)),
  );
}

const link = (text, href) => Object.assign(document.createElement('a'), { textContent: text, href });

function setAdjacent(dates) {
  adjacent = dates;
  part('previous').disabled = !dates.previous;
  part('next').disabled = !dates.next;
}

/** Queues steps, so that two quick clicks move by two images. */
function step(which) {
  stepping = stepping.then(() => adjacent[which] && open(adjacent[which]));
}

/** Shows the image at the current time if the new source covers it, else the newest. */
function choose(leaf, date = chosenDate()) {
  source = leaf;
  part('newest').disabled = false;
  const [start, end] = [isoDate(leaf.start), isoDate(leaf.end)];
  part('date').min = start.slice(0, 10).concat('T00:00:00');
  part('date').max = end.slice(0, 10).concat('T23:59:59');
  return open(date >= start && date <= end ? date : end);
}

/** Shows the progress of the sample archive until it is complete. A failed request hides the line. */
async function watchSample() {
  const progress = await sampleProgress().catch(() => undefined);
  part('sample').hidden = !progress;
  if (!progress) return;
  part('sample').textContent = sampleText(progress);
  setTimeout(watchSample, SAMPLE_INTERVAL_MS);
}

/** Source and date in the address, or of the shared view that it names. A view that cannot be loaded requests nothing. */
async function requestedImage() {
  const address = new URLSearchParams(location.hash.slice(1) || location.search);
  const key = address.get('loadState');
  if (key === null) return Object.fromEntries(address);
  return sharedView(key).catch(() => ({}));
}

async function start() {
  say('Loading the catalogue');
  const requested = await requestedImage();
  const choice = new SourceChoice(part('levels'), await catalogue(), (leaf) => choose(leaf));
  const leaf = choice.select(Number(requested.sourceId ?? FIRST_SOURCE_ID));
  if (!leaf) return say('The archive is empty.');
  addGestures(part('view'), viewer);
  return choose(leaf, requested.date ?? '');
}

part('choice').addEventListener('submit', (event) => event.preventDefault());
part('date').addEventListener('change', () => {
  if (source && chosenDate()) open(chosenDate());
});
for (const which of ['previous', 'next']) part(which).addEventListener('click', () => step(which));
part('newest').addEventListener('click', () => open(isoDate(source.end)));
part('zoom-in').addEventListener('click', () => viewer.zoom(2));
part('zoom-out').addEventListener('click', () => viewer.zoom(1 / 2));
part('fit').addEventListener('click', () => viewer.fit());

start().catch((error) => say(error.message));
watchSample();
