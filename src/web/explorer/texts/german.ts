// The German texts of the page. Names of instruments, coordinates and formats are those of the field.

import type { TimeUnit } from '../../../domain/recipe/difference.ts';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';
import type { Texts } from './english.ts';
import { imageTime, utc, utcDay } from './times.ts';

const UNITS: Readonly<Record<TimeUnit, readonly [string, string]>> = {
  second: ['Sekunde', 'Sekunden'],
  minute: ['Minute', 'Minuten'],
  hour: ['Stunde', 'Stunden'],
  day: ['Tag', 'Tagen'],
  week: ['Woche', 'Wochen'],
  month: ['Monat', 'Monaten'],
  year: ['Jahr', 'Jahren'],
};

const decimal = (text: string) => text.replace('.', ',');

export const german: Texts = {
  durations: {
    year: (count) => `${count} ${count === 1 ? 'Jahr' : 'Jahre'}`,
    day: (count) => `${count} ${count === 1 ? 'Tag' : 'Tage'}`,
    earlier: (duration) => `${duration} früher`,
    later: (duration) => `${duration} später`,
  },
  loading: 'Das Bild wird geladen …',
  loadingEvents: 'Die Ereignisse werden geladen …',
  loadingPart: 'Wird geladen …',
  retry: 'Erneut versuchen',
  dismiss: 'Ausblenden',
  close: 'Schließen',
  synthetic: 'synthetische Beispieldaten',
  syntheticMore:
    'Laut ihren Headern sind diese Bilder synthetisch: Sie zeigen weder eine Beobachtung noch ein wirkliches Ereignis.',
  picture: 'Bild der Sonne. Pfeiltasten verschieben es, Plus und Minus ändern den Maßstab, 0 zeigt es ganz.',
  shows: (image) => `Gezeigt wird ${image.name}, ${imageTime(image)}.`,
  stillShown: (image) => `Weiterhin gezeigt wird ${image.name}, ${imageTime(image)}.`,
  empty: 'Das Archiv enthält noch keine Bilder.',
  sample: (done, total) => `Beispielarchiv: bisher ${done} von ${total} Bildern`,
  failures: {
    offline: 'Der Dienst ist nicht erreichbar. Bitte prüfen Sie die Verbindung.',
    late: 'Der Dienst hat nicht rechtzeitig geantwortet.',
    status: (status) => `Der Dienst ist mit dem Status ${status} gescheitert.`,
    internal: 'In dieser Seite ist ein Fehler aufgetreten.',
    picture: 'Das Bild konnte nicht geladen werden.',
    tiles: (count) => `${count} ${count === 1 ? 'Teil' : 'Teile'} des Bildes konnten nicht geladen werden.`,
    events: 'Die Quelle der Ereignisse antwortet nicht.',
    catalogue: 'Die Liste der Quellen konnte nicht geladen werden.',
    part: 'Dieser Teil der Seite konnte nicht geladen werden.',
    looks: 'Bilder der Ansichten konnten nicht geladen werden.',
    sharedMovies: 'Die Liste der geteilten Filme konnte nicht geladen werden.',
    shortLink: 'Der Kurzlink konnte nicht erstellt werden.',
    eventSources: (names) => `${names.join(', ')} nicht erreichbar; gezeigt werden die Ereignisse der anderen Quellen.`,
    copy: 'Der Browser hat das Kopieren nicht erlaubt. Bitte markieren Sie den Text.',
  },
  noteAction: 'Neuestes Bild zeigen',
  noteWays: { date: 'Anderes Datum eingeben', layers: 'Ebenen wählen', events: 'Ereignisse wählen' },
  note: (note) => {
    switch (note.kind) {
      case 'bad-date':
        return `„${note.given}“ ist kein Datum, das diese Seite lesen kann; gezeigt wird das neueste Bild.`;
      case 'unknown-source':
        return `Eine Quelle „${note.given}“ gibt es nicht; ${note.instead ? `gezeigt wird ${note.instead}` : 'sie wird ausgelassen'}.`;
      case 'alias':
        return `Die Quelle ${note.given} ist hier ${note.name} (Quelle ${note.sourceId}).`;
      case 'bad-layers':
        return `Die Ebenen „${note.given}“ sind nicht lesbar; gezeigt wird AIA 171.`;
      case 'bad-place':
        return `„${note.given}“ ist kein Ort in diesem Bild und wird ausgelassen.`;
      case 'too-many-layers':
        return `Der Link hat ${note.given} Ebenen; gezeigt werden die ersten fünf.`;
      case 'bad-opacity':
        return `„${note.given}“ ist keine Deckkraft von 0 bis 100 %; die Ebene hat ${note.used} %.`;
      case 'bad-difference':
        return `„${note.given}“ ist keine Differenz, die diese Seite lesen kann; die Ebene wird ohne Differenz gezeigt.`;
      case 'no-images':
        return `Dieses Archiv enthält keine Bilder von ${note.given}; gezeigt wird ${note.instead}.`;
      case 'all-hidden':
        return `Alle Ebenen des Links sind ausgeblendet; gezeigt wird ${note.instead}.`;
      case 'half-place':
        return `„${note.given}“ ist nur ein Teil eines Ortes, zu dem centerX, centerY und imageScale gehören, und wird ausgelassen.`;
      case 'unknown-event':
        return `„${note.given}“ ist keine Art von Ereignissen und wird ausgelassen.`;
      case 'unknown-view':
        return `Die geteilte Ansicht „${note.given}…“ gibt es nicht; gezeigt wird das neueste Bild.`;
    }
  },
  far: (name, distance) => `Das nächstgelegene Bild von ${name} ist ${distance} als gewünscht entstanden.`,
  noImage: (name) => `Von ${name} gibt es keine Bilder.`,
  seeing: 'Was sehe ich?',
  share: 'Teilen',
  fullScreen: 'Vollbild',
  help: 'Hilfe',
  language: 'Sprache',
  notices: 'Hinweise',
  panels: {
    looks: 'Ansichten',
    layers: 'Ebenen',
    events: 'Ereignisse',
    measure: 'Messen',
    make: 'Erstellen',
    data: 'Daten',
  },
  panelsLabel: 'Werkzeuge',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  fit: 'Ganzes Bild',
  zoom: 'Maßstab',
  locator: 'Lage des Bildes auf der Sonne',
  time: {
    label: 'Zeit',
    field: 'Datum und Uhrzeit (UTC)',
    badDate: (given) => `„${given}“ ist kein Datum. Schreiben Sie es als 2024-05-10 12:15.`,
    previous: 'Zurück',
    next: 'Weiter',
    newest: 'Neuestes',
    stepBy: 'Schrittweite',
    units: { image: 'Bild', hour: 'Stunde', day: 'Tag', rotation: 'Rotation' },
    play: 'Abspielen',
    pause: 'Anhalten',
    speed: 'Tempo',
    perSecond: (frames) => `${frames} Bilder/s`,
    showAs: 'Zeit als',
    local: (text) => `${text} Ortszeit`,
    carrington: (rotation, longitude) => `CR ${rotation}, L0 ${longitude.toFixed(1)}°`,
  },
  timeline: {
    label: 'Zeitleiste der Bilder und Ereignisse',
    value: (atMs, span) => `${utc(atMs)}, Zeitraum ${span}`,
    hint: 'Pfeiltasten ändern die Zeit, Plus und Minus den Zeitraum.',
    zoomIn: 'Kürzerer Zeitraum',
    zoomOut: 'Längerer Zeitraum',
    tooLong: 'Ereignisse erscheinen in Zeiträumen bis dreißig Tage.',
    noImages: 'Die Bilder dieses Zeitraums konnten nicht geladen werden.',
    noEvents: 'Die Ereignisse dieses Zeitraums konnten nicht geladen werden.',
    failed: 'Die Zeitleiste konnte nicht geladen werden.',
    kept: 'Das früher Geladene wird weiterhin gezeigt.',
  },
  helpTitle: 'Bedienung dieser Seite',
  helpKeys: [
    ['Pfeiltasten', 'verschieben das Bild, wenn es den Fokus hat'],
    ['+ und −', 'vergrößern und verkleinern'],
    ['0', 'zeigt das ganze Bild'],
    [', und .', 'voriges und nächstes Bild'],
    ['Leertaste', 'spielt ab und hält an'],
    ['f', 'Vollbild'],
    ['Esc', 'schließt ein Werkzeug'],
  ],
  helpTouch:
    'Mit einem Finger ziehen verschiebt das Bild, mit zwei Fingern ändern Sie den Maßstab, zweimal tippen vergrößert es.',
  shareTitle: 'Diese Ansicht teilen',
  shareLink: 'Link zu dieser Ansicht',
  shareShort: 'Kurzer Link',
  shareEmbed: 'Code zum Einbetten',
  copy: 'Kopieren',
  copied: 'Kopiert',
  openExplorer: 'In helioedge öffnen',
  looks: {
    corona: {
      title: 'Korona',
      text: 'Bögen aus millionen Grad heißem Gas, die dem Magnetfeld folgen. AIA 171 zeigt Eisen bei 0,6 Millionen Kelvin.',
    },
    hot: {
      title: 'Heiße Flares',
      text: 'Wo Flares Energie freisetzen, leuchtet Gas von zehn Millionen Kelvin auf. Sonst ist AIA 131 dunkel.',
    },
    chromosphere: {
      title: 'Chromosphäre',
      text: 'Die Schicht unter der Korona, mit Filamenten und mit Protuberanzen am Rand. AIA 304 zeigt Helium bei 50 000 Kelvin.',
    },
    magnetic: {
      title: 'Magnetfeld',
      text: 'Weiß ist zu uns gerichtetes Feld, schwarz von uns weg gerichtetes. Wo beide zusammentreffen, entstehen Flecken und Flares.',
    },
    sunspots: {
      title: 'Sonnenflecken',
      text: 'Die Oberfläche im sichtbaren Licht. Flecken sind dunkel, weil starke Felder heißes Gas am Aufsteigen hindern.',
    },
    eruptions: {
      title: 'Ausbrüche',
      text: 'Gaswolken verlassen die Sonne, gesehen von Koronografen, welche die helle Scheibe abdecken. LASCO C2 und C3 reichen bis 30 Sonnenradien.',
    },
    missing: 'keine Bilder in diesem Archiv',
    highlights: (day) => `Höhepunkte vom ${day} (Zeiten in UTC)`,
    noHighlights: 'Von diesem Tag ist kein Flare, kein Auswurf und keine Region verzeichnet.',
    kinds: {
      flare: 'Flares, zu ihrem Maximum',
      ejection: 'Schnellste koronale Massenauswürfe',
      eruption: 'Filamenteruptionen',
      region: 'Komplexeste aktive Regionen',
      filament: 'Längstes Filament',
    },
  },
  layers: {
    present: 'Ebenen von oben nach unten',
    add: 'Ebene hinzufügen',
    search: 'Alle Quellen durchsuchen',
    example: 'AIA 193, LASCO, magnetogram …',
    found: (count) => `${count} ${count === 1 ? 'Quelle' : 'Quellen'}`,
    full: 'Mehr als fünf Ebenen gehen nicht; entfernen Sie eine, um eine andere hinzuzufügen.',
    range: (startMs, endMs) => `${utcDay(startMs)} bis ${utcDay(endMs)}`,
    hide: (name) => `${name} ausblenden`,
    show: (name) => `${name} einblenden`,
    up: (name) => `${name} nach oben`,
    down: (name) => `${name} nach unten`,
    remove: (name) => `${name} entfernen`,
    hidden: 'ausgeblendet',
    opacity: (percent) => `Deckkraft ${percent} %`,
    difference: 'Differenz',
    noDifference: 'keine',
    running: (count, unit) => `zum Bild vor ${count} ${UNITS[unit][count === 1 ? 0 : 1]}`,
    base: (atMs) => `zum Bild von ${utc(atMs)}`,
  },
  events: {
    types: 'Arten von Ereignissen zu dieser Zeit',
    none: 'Zu dieser Zeit sind keine Ereignisse verzeichnet.',
    listed: (count) =>
      count === 0
        ? 'Wählen Sie Arten, um deren Ereignisse als Marken und in dieser Liste zu sehen.'
        : `${count} ${count === 1 ? 'Ereignis' : 'Ereignisse'}`,
    behind: 'hinter dem Rand',
    sources: 'Quellen der Ereignisse',
    source: (name, state, count) =>
      state === 'failed' ? `${name}: nicht verfügbar` : `${name}: ${count} ${count === 1 ? 'Ereignis' : 'Ereignisse'}`,
    loaded: (age, isStale) => (isStale ? `Alter ${age}; die Quelle antwortet zurzeit nicht` : `Alter ${age}`),
    toPeak: 'Zum Maximum',
    toStart: 'Zum Beginn',
    start: 'Beginn',
    peak: 'Maximum',
    end: 'Ende',
    place: 'Ort',
    by: 'Gemeldet von',
    names: {
      AR: 'Aktive Region',
      CC: 'Koronale Kavität',
      CD: 'Koronale Abdunklung',
      CE: 'Koronaler Massenauswurf',
      CH: 'Koronales Loch',
      CJ: 'Koronaler Jet',
      CW: 'Koronale Welle',
      C3: 'DONKI (Auswürfe und Flares)',
      EF: 'Aufsteigender magnetischer Fluss',
      ER: 'Eruption',
      FA: 'Aktivierung eines Filaments',
      FE: 'Filamenteruption',
      FI: 'Filament',
      FL: 'Flare',
      FP: 'Flarevorhersagen',
      F2: 'Flare (RHESSI)',
      LP: 'Magnetischer Bogen',
      OS: 'Oszillation',
      PG: 'Plage',
      SG: 'Sigmoid',
      SP: 'Spray oder Surge',
      SS: 'Sonnenfleck',
    },
  },
  measure: {
    helioprojective: 'Helioprojektiv',
    stonyhurst: 'Stonyhurst',
    carrington: 'Carrington',
    radius: 'r / R☉',
    crosshair: 'Werte am Fadenkreuz in der Bildmitte',
    ruler: 'Lineal: über das Bild ziehen',
    rulerByDrag: 'Schalten Sie das Lineal ein und ziehen Sie von einem Punkt zu einem anderen.',
    rulerByCrosshair: 'Markieren Sie einen Punkt, verschieben Sie das Bild und markieren Sie einen zweiten.',
    mark: 'Diesen Punkt markieren',
    grid: 'Sonnengitter von 15°',
    earthScale: 'Erde im selben Maßstab',
    earth: 'Erde',
    note: 'Orte sind Tx, Ty sowie Länge, Breite. Bogensekunden gelten für den Abstand des Instruments von der Sonne. Längen sind Abstände in der Himmelsebene durch den Mittelpunkt der Sonne.',
  },
  make: {
    screenshot: 'Bildschirmfoto',
    parts: { view: 'die ganze Ansicht', square: 'ein Quadrat in der Mitte', region: 'ein gezeichneter Ausschnitt' },
    area: 'Bereich für Bilder und Filme',
    draw: 'Neuen Ausschnitt zeichnen',
    drawing: 'Ziehen Sie auf dem Bild ein Rechteck auf.',
    adjust:
      'Ziehen Sie das Rechteck oder seine Ecke. Mit der Tastatur: Pfeiltasten verschieben es, Umschalt mit einer Pfeiltaste ändert die Größe.',
    region: 'Ausschnitt',
    corner: 'Größe des Ausschnitts',
    regionSize: (width, height) => `${width}″ × ${height}″`,
    pixels: (width, height) => `${width} × ${height} Pixel`,
    format: 'Format',
    take: 'Bildschirmfoto herunterladen',
    taking: 'Wird gezeichnet …',
    saved: 'Das Bildschirmfoto liegt bei Ihren Downloads.',
    savedAsPng: 'Dieser Browser kann kein WebP schreiben. Das Bildschirmfoto liegt als PNG bei Ihren Downloads.',
    noScreenshot: 'Das Bildschirmfoto konnte nicht erstellt werden.',
    movie: 'Film',
    span: 'Zeitraum um dieses Bild',
    spanOf: (ms) => (ms < DAY_MS ? `${ms / HOUR_MS} h` : `${ms / DAY_MS} d`),
    frames: 'Bilder',
    framesOf: (count) => `bis zu ${count}`,
    rate: 'Tempo',
    rateOf: (count) => `${count} Bilder/s`,
    follow: 'Der Rotation der Sonne folgen',
    estimating: 'Der Film wird geschätzt …',
    noEstimate: 'Dieser Film lässt sich nicht schätzen.',
    estimate: (frames, seconds, width, height) =>
      `${frames} Bilder von ${width} × ${height} Pixeln, ${decimal(seconds.toFixed(1))} s lang, als MP4 und WebM.`,
    expected: (eta, ahead) =>
      ahead === 0
        ? `Fertig in etwa ${eta}.`
        : `Fertig in etwa ${eta}, nach ${ahead} ${ahead === 1 ? 'anderem Film' : 'anderen Filmen'}.`,
    noMovie: 'Der Film wurde nicht eingereiht.',
    make: 'Film erstellen',
    mine: 'Filme dieses Browsers',
    waiting: (place, eta) => `Wartet auf Platz ${place + 1} der Warteschlange; noch etwa ${eta}`,
    running: (frame, frames, eta) => `Bild ${frame} von ${frames}; noch etwa ${eta}`,
    progress: 'Fortschritt des Films',
    movieOf: (name) => `Film von ${name}`,
    page: 'Eigene Seite',
    forget: (name) => `${name} aus der Liste entfernen`,
    failed: 'Dieser Film konnte nicht erstellt werden.',
    noStatus: 'Der Stand dieses Films konnte nicht geladen werden.',
    repeated: 'Die Anfrage wird von selbst wiederholt.',
    shared: 'Geteilte Filme anderer',
  },
  data: {
    image: 'Bild',
    file: 'JPEG-2000-Datei',
    xml: 'Header (XML)',
    png: 'Ganzes Bild (PNG)',
    codeTitle: 'Code für diese Ansicht',
    header: (name) => `FITS-Header von ${name}`,
    noHeader: 'Der Header konnte nicht geladen werden.',
    search: 'Schlüsselwörter und Werte durchsuchen',
    keywords: (count) => `${count} ${count === 1 ? 'Schlüsselwort' : 'Schlüsselwörter'}`,
    listTitle: 'Bilder im Zeitraum der Zeitleiste',
    listed: (first, last, count, startMs, endMs) =>
      `Bilder ${first} bis ${last} von ${count}, ${utc(startMs)} bis ${utc(endMs)}.`,
    listedPart: (most) => `Der Zeitraum der Zeitleiste enthält mehr als ${most} Bilder; aufgeführt sind die um das gezeigte.`,
    earlierImages: 'Frühere Bilder',
    laterImages: 'Spätere Bilder',
    noList: 'Die Liste der Bilder konnte nicht geladen werden.',
    keptList: (startMs, endMs) => `Weiterhin aufgeführt sind die von ${utc(startMs)} bis ${utc(endMs)}.`,
    saveList: 'Liste des ganzen Zeitraums (CSV)',
    facts: ({ id, width, height, scale }) =>
      `Bild ${id}: ${width} × ${height} Pixel zu ${decimal(scale.toPrecision(4))}″ (aus 1 au gesehen)`,
  },
  about: {
    image: ({ width, height }) => `${width} × ${height} Pixel.`,
    distance: (distance) => `${distance} als gewünscht entstanden.`,
    orientation: 'Norden der Sonne ist oben und Westen rechts, wie die Sonne von der Nordhalbkugel der Erde aus erscheint.',
    news: 'Neuigkeiten',
  },
  sources: {
    'AIA 94': 'Extrem ultraviolettes Licht von Eisen bei 6 Millionen Kelvin: die heißen Kerne aktiver Regionen und Flares.',
    'AIA 131':
      'Extrem ultraviolettes Licht von Eisen bei 10 Millionen Kelvin in Flares und bei 0,4 Millionen Kelvin außerhalb von ihnen.',
    'AIA 171': 'Extrem ultraviolettes Licht von Eisen bei 0,6 Millionen Kelvin: die ruhige Korona und ihre Bögen.',
    'AIA 193':
      'Extrem ultraviolettes Licht von Eisen bei 1,2 Millionen Kelvin; koronale Löcher, aus denen schneller Wind strömt, sind dunkel.',
    'AIA 211': 'Extrem ultraviolettes Licht von Eisen bei 2 Millionen Kelvin: die Korona aktiver Regionen.',
    'AIA 304': 'Extrem ultraviolettes Licht von Helium bei 50 000 Kelvin: die Chromosphäre mit Filamenten und Protuberanzen.',
    'AIA 335': 'Extrem ultraviolettes Licht von Eisen bei 2,5 Millionen Kelvin: die heiße Korona aktiver Regionen.',
    'AIA 1600': 'Ultraviolettes Licht der oberen Photosphäre und der Übergangsregion, in dem die Bänder von Flares aufleuchten.',
    'AIA 1700': 'Ultraviolettes Licht des Temperaturminimums und der Photosphäre.',
    'AIA 4500': 'Sichtbares Licht der Photosphäre, der Oberfläche der Sonne.',
    'HMI Cont': 'Sichtbares Licht der Photosphäre: Sonnenflecken, in manchen Produkten ohne die Randverdunklung.',
    'HMI Mag': 'Das Magnetfeld entlang der Sichtlinie: weiß zum Beobachter hin, schwarz von ihm weg.',
    MDI: 'Sichtbares Licht oder das Magnetfeld der Photosphäre, der Vorgänger von HMI auf SOHO.',
    EIT: 'Extrem ultraviolettes Licht der Korona und der Chromosphäre, der Vorgänger von AIA auf SOHO.',
    'LASCO C2':
      'Die Korona von 2 bis 6 Sonnenradien im weißen Licht, das freie Elektronen streuen; eine Scheibe verdeckt die Sonne.',
    'LASCO C3': 'Die Korona von 4 bis 30 Sonnenradien im weißen Licht; eine Scheibe verdeckt die Sonne.',
    SUVI: 'Extrem ultraviolettes Licht der Korona von den Wettersatelliten GOES, mit weitem Gesichtsfeld.',
    XRT: 'Weiche Röntgenstrahlung der Korona über einer Million Kelvin, von Hinode.',
    IRIS: 'Ultraviolettes Licht eines kleinen Teils der Chromosphäre und der Übergangsregion; die Karte zeigt, welches.',
    COR: 'Die Korona im weißen Licht von einer STEREO-Sonde, welche die Sonne von einer anderen Seite sieht als die Erde.',
    EUVI: 'Extrem ultraviolettes Licht der Korona von einer STEREO-Sonde, die eine andere Seite der Sonne sieht als die Erde.',
  },
  unknownSource: 'Ein Bild der Sonne aus dem Archiv; sein Header nennt das Instrument und das Band.',
};
