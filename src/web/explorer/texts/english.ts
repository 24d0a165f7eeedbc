// The English texts of the page, whose shape those in other languages have.

import type { Note } from '../../../domain/explorer/view.ts';
import type { TimeUnit } from '../../../domain/recipe/difference.ts';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { imageTime, utc, utcDay } from './times.ts';

export const english = {
  durations: {
    year: (count: number) => `${count} y`,
    day: (count: number) => `${count} d`,
    earlier: (duration: string) => `${duration} earlier`,
    later: (duration: string) => `${duration} later`,
  },
  loading: 'Loading the picture…',
  loadingEvents: 'Loading the events…',
  loadingPart: 'Loading…',
  retry: 'Try again',
  dismiss: 'Dismiss',
  close: 'Close',
  synthetic: 'synthetic sample data',
  syntheticMore: 'The headers of these images say that they are synthetic: they show no observation and no real event.',
  picture: 'Picture of the Sun. Arrow keys move it, plus and minus zoom, 0 shows all of it.',
  shows: (image: ImageRecord) => `Showing ${image.name}, ${imageTime(image)}.`,
  stillShown: (image: ImageRecord) => `Still showing ${image.name}, ${imageTime(image)}.`,
  empty: 'The archive has no images yet.',
  sample: (done: number, total: number) => `Sample archive: ${done} of ${total} images so far`,
  failures: {
    offline: 'The service cannot be reached. Check the connection.',
    late: 'The service did not answer in time.',
    status: (status: number) => `The service failed with status ${status}.`,
    internal: 'Something went wrong in this page.',
    picture: 'The picture could not be loaded.',
    tiles: (count: number) => `${count} ${count === 1 ? 'part' : 'parts'} of the picture could not be loaded.`,
    events: 'The source of events does not respond.',
    catalogue: 'The list of sources could not be loaded.',
    part: 'This part of the page could not be loaded.',
    looks: 'Pictures of the looks could not be loaded.',
    sharedMovies: 'The list of shared movies could not be loaded.',
    shortLink: 'The short link could not be made.',
    eventSources: (names: readonly string[]) =>
      `${names.join(', ')} could not be reached; events of the other sources are shown.`,
    copy: 'The browser did not allow copying. Select the text instead.',
  },
  noteAction: 'Show the newest image',
  noteWays: { date: 'Enter another date', layers: 'Choose layers', events: 'Choose events' },
  note: (note: Note): string => {
    switch (note.kind) {
      case 'bad-date':
        return `“${note.given}” is not a date that this page can read, so it shows the newest image.`;
      case 'unknown-source':
        return `There is no source “${note.given}”, so ${note.instead ? `${note.instead} is shown` : 'it is left out'}.`;
      case 'alias':
        return `Source ${note.given} is ${note.name} (source ${note.sourceId}) here.`;
      case 'bad-layers':
        return `The layers “${note.given}” cannot be read, so AIA 171 is shown.`;
      case 'bad-place':
        return `“${note.given}” is no place in this picture, so it is left out.`;
      case 'too-many-layers':
        return `The link has ${note.given} layers; the first five are shown.`;
      case 'bad-opacity':
        return `“${note.given}” is no opacity from 0 to 100 %, so the layer has ${note.used} %.`;
      case 'bad-difference':
        return `“${note.given}” is no difference that this page can read, so the layer is shown without one.`;
      case 'no-images':
        return `This archive has no images of ${note.given}, so ${note.instead} is shown.`;
      case 'all-hidden':
        return `All layers of the link are hidden, so ${note.instead} is shown.`;
      case 'half-place':
        return `“${note.given}” is only a part of a place, which needs centerX, centerY and imageScale, so it is left out.`;
      case 'unknown-event':
        return `“${note.given}” is no type of events, so it is left out.`;
      case 'unknown-view':
        return `The shared view “${note.given}…” does not exist, so this is the newest image.`;
    }
  },
  far: (name: string, distance: string) => `The nearest ${name} image is ${distance} than the time asked for.`,
  noImage: (name: string) => `${name} has no images.`,
  seeing: 'What am I seeing?',
  share: 'Share',
  fullScreen: 'Full screen',
  help: 'Help',
  language: 'Language',
  notices: 'Notices',
  panels: { looks: 'Looks', layers: 'Layers', events: 'Events', measure: 'Measure', make: 'Make', data: 'Data' },
  panelsLabel: 'Tools',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Whole picture',
  zoom: 'Zoom',
  locator: 'Where the picture is on the Sun',
  time: {
    label: 'Time',
    field: 'Date and time (UTC)',
    badDate: (given: string) => `“${given}” is not a date. Write it as 2024-05-10 12:15 or 10 May 2024.`,
    previous: 'Previous',
    next: 'Next',
    newest: 'Newest',
    stepBy: 'Step by',
    units: { image: 'image', hour: 'hour', day: 'day', rotation: 'rotation' },
    play: 'Play',
    pause: 'Pause',
    speed: 'Speed',
    perSecond: (frames: number) => `${frames} images/s`,
    showAs: 'Time as',
    local: (text: string) => `${text} local`,
    carrington: (rotation: number, longitude: number) => `CR ${rotation}, L0 ${longitude.toFixed(1)}°`,
  },
  timeline: {
    label: 'Timeline of images and events',
    value: (atMs: number, span: string) => `${utc(atMs)}, ${span} shown`,
    hint: 'Arrow keys move in time, plus and minus change the range.',
    zoomIn: 'Shorter range',
    zoomOut: 'Longer range',
    tooLong: 'Events show up in ranges of thirty days and less.',
    noImages: 'The images of this range could not be loaded.',
    noEvents: 'The events of this range could not be loaded.',
    failed: 'The timeline could not be loaded.',
    kept: 'What was loaded before is still shown.',
  },
  helpTitle: 'How to use this page',
  helpKeys: [
    ['Arrow keys', 'move the picture when it has the focus'],
    ['+ and −', 'zoom in and out'],
    ['0', 'shows the whole picture'],
    [', and .', 'previous and next image'],
    ['Space', 'plays and pauses'],
    ['f', 'full screen'],
    ['Esc', 'closes a panel'],
  ] as readonly (readonly [string, string])[],
  helpTouch: 'Drag with one finger to move, pinch with two to zoom, tap twice to zoom in.',
  shareTitle: 'Share this view',
  shareLink: 'Link to this view',
  shareShort: 'Short link',
  shareEmbed: 'Code to embed it',
  copy: 'Copy',
  copied: 'Copied',
  openExplorer: 'Open in helioedge',
  looks: {
    corona: {
      title: 'Corona',
      text: 'Million-degree loops of gas that follow the magnetic field. AIA 171 shows iron at 0.6 million kelvin.',
    },
    hot: {
      title: 'Hot flares',
      text: 'Gas of ten million kelvin lights up where flares release energy. AIA 131 is dark elsewhere.',
    },
    chromosphere: {
      title: 'Chromosphere',
      text: 'The layer below the corona, with filaments and prominences at its edge. AIA 304 shows helium at 50 000 kelvin.',
    },
    magnetic: {
      title: 'Magnetic field',
      text: 'White is field towards us, black is field away from us. Sunspots and flares grow from where both meet.',
    },
    sunspots: {
      title: 'Sunspots',
      text: 'The surface in visible light. Spots are dark because strong fields keep hot gas from rising.',
    },
    eruptions: {
      title: 'Eruptions',
      text: 'Clouds of gas leave the Sun, seen by coronagraphs that cover the bright disk. LASCO C2 and C3 reach 30 solar radii.',
    },
    missing: 'no images in this archive',
    highlights: (day: string) => `Highlights of ${day} (times in UTC)`,
    noHighlights: 'No flare, ejection or region of this day is in the lists of events.',
    kinds: {
      flare: 'Flares, at their peaks',
      ejection: 'Fastest coronal mass ejections',
      eruption: 'Filament eruptions',
      region: 'Most complex active regions',
      filament: 'Longest filament',
    },
  },
  layers: {
    present: 'Layers from the top to the bottom',
    add: 'Add a layer',
    search: 'Search all sources',
    example: 'AIA 193, LASCO, magnetogram…',
    found: (count: number) => `${count} ${count === 1 ? 'source' : 'sources'}`,
    full: 'Five layers are the most; remove one to add another.',
    range: (startMs: number, endMs: number) => `${utcDay(startMs)} to ${utcDay(endMs)}`,
    hide: (name: string) => `Hide ${name}`,
    show: (name: string) => `Show ${name}`,
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    remove: (name: string) => `Remove ${name}`,
    hidden: 'hidden',
    opacity: (percent: number) => `Opacity ${percent} %`,
    difference: 'Difference',
    noDifference: 'none',
    running: (count: number, unit: TimeUnit) => `from ${count} ${unit}${count === 1 ? '' : 's'} before`,
    base: (atMs: number) => `from ${utc(atMs)}`,
  },
  events: {
    types: 'Types of events at this time',
    none: 'No events at this time.',
    listed: (count: number) =>
      count === 0
        ? 'Choose types to see their events as pins and in this list.'
        : `${count} ${count === 1 ? 'event' : 'events'} shown`,
    behind: 'behind the limb',
    sources: 'Sources of events',
    source: (name: string, state: 'ok' | 'stale' | 'failed', count: number) =>
      state === 'failed' ? `${name}: not available` : `${name}: ${count} ${count === 1 ? 'event' : 'events'}`,
    loaded: (age: string, isStale: boolean) =>
      isStale ? `loaded ${age} ago; the source does not respond now` : `loaded ${age} ago`,
    toPeak: 'Go to the peak',
    toStart: 'Go to the start',
    start: 'Start',
    peak: 'Peak',
    end: 'End',
    place: 'Place',
    by: 'Reported by',
    /** Names of types by pin; the service names the others. */
    names: {
      AR: 'Active region',
      CC: 'Coronal cavity',
      CD: 'Coronal dimming',
      CE: 'Coronal mass ejection',
      CH: 'Coronal hole',
      CJ: 'Coronal jet',
      CW: 'Coronal wave',
      C3: 'DONKI (ejections and flares)',
      EF: 'Emerging flux',
      ER: 'Eruption',
      FA: 'Filament activation',
      FE: 'Filament eruption',
      FI: 'Filament',
      FL: 'Flare',
      FP: 'Flare predictions',
      F2: 'Flare (RHESSI)',
      LP: 'Loop',
      OS: 'Oscillation',
      PG: 'Plage',
      SG: 'Sigmoid',
      SP: 'Spray or surge',
      SS: 'Sunspot',
    },
  },
  measure: {
    helioprojective: 'Helioprojective',
    stonyhurst: 'Stonyhurst',
    carrington: 'Carrington',
    radius: 'r / R☉',
    crosshair: 'Read out at a cross-hair in the middle',
    ruler: 'Ruler: drag on the picture',
    rulerByDrag: 'Turn the ruler on and drag from one point to another.',
    rulerByCrosshair: 'Mark one point, move the picture, and mark another.',
    mark: 'Mark this point',
    grid: 'Solar grid of 15°',
    earthScale: 'Earth to scale',
    earth: 'Earth',
    note: 'Places are Tx, Ty, and longitude, latitude. Arcseconds are those of the instrument’s own distance from the Sun. Lengths are distances in the plane of the sky through the Sun’s centre.',
  },
  make: {
    screenshot: 'Screenshot',
    parts: { view: 'the whole view', square: 'a square in its middle', region: 'a region that you draw' },
    area: 'Area of pictures and movies',
    draw: 'Draw another region',
    drawing: 'Drag a rectangle on the picture.',
    adjust: 'Drag the rectangle or its corner. By keys: arrow keys move it, Shift with an arrow key changes its size.',
    region: 'Region',
    corner: 'Size of the region',
    regionSize: (width: string, height: string) => `${width}″ × ${height}″`,
    pixels: (width: number, height: number) => `${width} × ${height} pixels`,
    format: 'Format',
    take: 'Download screenshot',
    taking: 'Drawing…',
    saved: 'The screenshot is in your downloads.',
    savedAsPng: 'This browser cannot write WebP. The screenshot is in your downloads as PNG.',
    noScreenshot: 'The screenshot could not be made.',
    movie: 'Movie',
    span: 'Time around this image',
    spanOf: (ms: number) => (ms < DAY_MS ? `${ms / HOUR_MS} h` : `${ms / DAY_MS} d`),
    frames: 'Images',
    framesOf: (count: number) => `up to ${count}`,
    rate: 'Speed',
    rateOf: (count: number) => `${count} images/s`,
    follow: 'Follow the rotation of the Sun',
    estimating: 'Estimating the movie…',
    noEstimate: 'This movie cannot be estimated.',
    estimate: (frames: number, seconds: number, width: number, height: number) =>
      `${frames} images of ${width} × ${height} pixels, ${seconds.toFixed(1)} s long, in MP4 and WebM.`,
    expected: (eta: string, ahead: number) =>
      ahead === 0 ? `Ready in about ${eta}.` : `Ready in about ${eta}, after ${ahead} other ${ahead === 1 ? 'movie' : 'movies'}.`,
    noMovie: 'The movie was not queued.',
    make: 'Make a movie',
    mine: 'Movies of this browser',
    waiting: (place: number, eta: string) => `Waiting, place ${place + 1} in the queue; about ${eta} to go`,
    running: (frame: number, frames: number, eta: string) => `Image ${frame} of ${frames}; about ${eta} to go`,
    progress: 'Progress of the movie',
    movieOf: (name: string) => `Movie of ${name}`,
    page: 'Page of its own',
    forget: (name: string) => `Remove ${name} from the list`,
    failed: 'This movie could not be made.',
    noStatus: 'The state of this movie could not be loaded.',
    repeated: 'It is requested again by itself.',
    shared: 'Movies that others shared',
  },
  data: {
    image: 'Image',
    file: 'JPEG 2000 file',
    xml: 'Header (XML)',
    png: 'Whole image (PNG)',
    codeTitle: 'Code for this view',
    header: (name: string) => `FITS header of ${name}`,
    noHeader: 'The header could not be loaded.',
    search: 'Search keywords and values',
    keywords: (count: number) => `${count} keywords`,
    listTitle: 'Images in the range of the timeline',
    listed: (first: number, last: number, count: number, startMs: number, endMs: number) =>
      `Images ${first} to ${last} of ${count} from ${utc(startMs)} to ${utc(endMs)}.`,
    listedPart: (most: number) =>
      `The range of the timeline has more than ${most} images; those around the shown one are listed.`,
    earlierImages: 'Earlier images',
    laterImages: 'Later images',
    noList: 'The list of images could not be loaded.',
    keptList: (startMs: number, endMs: number) => `Still listed are those from ${utc(startMs)} to ${utc(endMs)}.`,
    saveList: 'List of the whole range (CSV)',
    facts: ({ id, width, height, scale }: Pick<ImageRecord, 'id' | 'width' | 'height' | 'scale'>) =>
      `Image ${id}: ${width} × ${height} pixels of ${scale.toPrecision(4)}″ (as seen from 1 au)`,
  },
  about: {
    image: ({ width, height }: ImageRecord) => `${width} × ${height} pixels.`,
    distance: (distance: string) => `${distance} than the time asked for.`,
    orientation: 'Solar north is up, and west is to the right, as the Sun appears from the northern half of the Earth.',
    news: 'News',
  },
  /** Description of the content of a picture, by the beginning of the name of its source. */
  sources: {
    'AIA 94': 'Extreme ultraviolet light of iron at 6 million kelvin: the hot cores of active regions and flares.',
    'AIA 131': 'Extreme ultraviolet light of iron at 10 million kelvin in flares, and at 0.4 million kelvin elsewhere.',
    'AIA 171': 'Extreme ultraviolet light of iron at 0.6 million kelvin: the quiet corona and its loops.',
    'AIA 193': 'Extreme ultraviolet light of iron at 1.2 million kelvin; coronal holes, the sources of fast wind, are dark.',
    'AIA 211': 'Extreme ultraviolet light of iron at 2 million kelvin: the corona of active regions.',
    'AIA 304': 'Extreme ultraviolet light of helium at 50 000 kelvin: the chromosphere, with filaments and prominences.',
    'AIA 335': 'Extreme ultraviolet light of iron at 2.5 million kelvin: the hot corona of active regions.',
    'AIA 1600': 'Ultraviolet light of the upper photosphere and the transition region, where flare ribbons shine.',
    'AIA 1700': 'Ultraviolet light of the temperature minimum and the photosphere.',
    'AIA 4500': 'Visible light of the photosphere, the surface of the Sun.',
    'HMI Cont': 'Visible light of the photosphere: sunspots, without the darkening towards the limb in some products.',
    'HMI Mag': 'The magnetic field along the line of sight: white towards the observer, black away from it.',
    MDI: 'Visible light or the magnetic field of the photosphere, the predecessor of HMI on SOHO.',
    EIT: 'Extreme ultraviolet light of the corona and the chromosphere, the predecessor of AIA on SOHO.',
    'LASCO C2': 'The corona from 2 to 6 solar radii in white light, scattered by free electrons; a disk covers the Sun.',
    'LASCO C3': 'The corona from 4 to 30 solar radii in white light; a disk covers the Sun.',
    SUVI: 'Extreme ultraviolet light of the corona from the GOES weather satellites, with a wide field of view.',
    XRT: 'Soft X-rays of the corona above a million kelvin, from Hinode.',
    IRIS: 'Ultraviolet light of a small part of the chromosphere and transition region; the map shows which part.',
    COR: 'The corona in white light from a STEREO spacecraft, which sees the Sun from another side than the Earth.',
    EUVI: 'Extreme ultraviolet light of the corona from a STEREO spacecraft, which sees another side of the Sun than the Earth.',
  } as Readonly<Record<string, string>>,
  unknownSource: 'An image of the Sun from the archive; its header names the instrument and the band.',
};

export type Texts = typeof english;
