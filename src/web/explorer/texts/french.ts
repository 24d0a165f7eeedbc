// The French texts of the page. Names of instruments, coordinates and formats are those of the field.

import type { TimeUnit } from '../../../domain/recipe/difference.ts';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';
import type { Texts } from './english.ts';
import { imageTime, utc, utcDay } from './times.ts';

const UNITS: Readonly<Record<TimeUnit, readonly [string, string]>> = {
  second: ['seconde', 'secondes'],
  minute: ['minute', 'minutes'],
  hour: ['heure', 'heures'],
  day: ['jour', 'jours'],
  week: ['semaine', 'semaines'],
  month: ['mois', 'mois'],
  year: ['an', 'ans'],
};

const decimal = (text: string) => text.replace('.', ',');

export const french: Texts = {
  durations: {
    year: (count) => `${count} ${count < 2 ? 'an' : 'ans'}`,
    day: (count) => `${count} ${count < 2 ? 'jour' : 'jours'}`,
    earlier: (duration) => `${duration} plus tôt`,
    later: (duration) => `${duration} plus tard`,
  },
  loading: 'Chargement de l’image…',
  loadingEvents: 'Chargement des événements…',
  loadingPart: 'Chargement…',
  retry: 'Réessayer',
  dismiss: 'Masquer',
  close: 'Fermer',
  synthetic: 'données d’exemple synthétiques',
  syntheticMore:
    'Les en-têtes de ces images indiquent qu’elles sont synthétiques : elles ne montrent ni observation ni événement réel.',
  picture: 'Image du Soleil. Les flèches la déplacent, plus et moins changent l’échelle, 0 la montre en entier.',
  shows: (image) => `Image affichée : ${image.name}, ${imageTime(image)}.`,
  stillShown: (image) => `Image toujours affichée : ${image.name}, ${imageTime(image)}.`,
  empty: 'L’archive ne contient pas encore d’images.',
  sample: (done, total) => `Archive d’exemple : ${done} images sur ${total} pour l’instant`,
  failures: {
    offline: 'Le service est injoignable. Vérifiez la connexion.',
    late: 'Le service n’a pas répondu à temps.',
    status: (status) => `Le service a échoué avec le code ${status}.`,
    internal: 'Une erreur s’est produite dans cette page.',
    picture: 'L’image n’a pas pu être chargée.',
    tiles: (count) =>
      count < 2 ? 'Une partie de l’image n’a pas pu être chargée.' : `${count} parties de l’image n’ont pas pu être chargées.`,
    events: 'La source des événements ne répond pas.',
    catalogue: 'La liste des sources n’a pas pu être chargée.',
    part: 'Cette partie de la page n’a pas pu être chargée.',
    looks: 'Des images des aperçus n’ont pas pu être chargées.',
    sharedMovies: 'La liste des films partagés n’a pas pu être chargée.',
    shortLink: 'Le lien court n’a pas pu être créé.',
    eventSources: (names) => `${names.join(', ')} : injoignable ; les événements des autres sources sont affichés.`,
    copy: 'Le navigateur n’a pas autorisé la copie. Sélectionnez le texte.',
  },
  noteAction: 'Afficher l’image la plus récente',
  noteWays: { date: 'Saisir une autre date', layers: 'Choisir des couches', events: 'Choisir des événements' },
  note: (note) => {
    switch (note.kind) {
      case 'bad-date':
        return `« ${note.given} » n’est pas une date lisible ; la page affiche l’image la plus récente.`;
      case 'unknown-source':
        return `La source « ${note.given} » n’existe pas ; ${note.instead ? `la page affiche ${note.instead}` : 'elle est ignorée'}.`;
      case 'alias':
        return `La source ${note.given} correspond ici à ${note.name} (source ${note.sourceId}).`;
      case 'bad-layers':
        return `Les couches « ${note.given} » sont illisibles ; la page affiche AIA 171.`;
      case 'bad-place':
        return `« ${note.given} » n’est pas une position dans cette image ; elle est ignorée.`;
      case 'too-many-layers':
        return `Le lien comporte ${note.given} couches ; les cinq premières sont affichées.`;
      case 'bad-opacity':
        return `« ${note.given} » n’est pas une opacité de 0 à 100 % ; celle de la couche est de ${note.used} %.`;
      case 'bad-difference':
        return `« ${note.given} » n’est pas une différence lisible ; la couche est affichée sans différence.`;
      case 'no-images':
        return `Cette archive ne contient pas d’images de ${note.given} ; la page affiche ${note.instead}.`;
      case 'all-hidden':
        return `Toutes les couches du lien sont masquées ; la page affiche ${note.instead}.`;
      case 'half-place':
        return `« ${note.given} » n’est qu’une partie d’une position, qui exige centerX, centerY et imageScale ; elle est ignorée.`;
      case 'unknown-event':
        return `« ${note.given} » n’est pas un type d’événements ; il est ignoré.`;
      case 'unknown-view':
        return `La vue partagée « ${note.given}… » n’existe pas ; la page affiche l’image la plus récente.`;
    }
  },
  far: (name, distance) => `L’image de ${name} la plus proche a été prise ${distance} que l’heure demandée.`,
  noImage: (name) => `Il n’y a pas d’images de ${name}.`,
  seeing: 'Que vois-je ?',
  share: 'Partager',
  fullScreen: 'Plein écran',
  help: 'Aide',
  language: 'Langue',
  notices: 'Avis',
  panels: {
    looks: 'Aspects',
    layers: 'Couches',
    events: 'Événements',
    measure: 'Mesurer',
    make: 'Créer',
    data: 'Données',
  },
  panelsLabel: 'Outils',
  zoomIn: 'Agrandir',
  zoomOut: 'Réduire',
  fit: 'Image entière',
  zoom: 'Échelle',
  locator: 'Position de l’image sur le Soleil',
  time: {
    label: 'Temps',
    field: 'Date et heure (UTC)',
    badDate: (given) => `« ${given} » n’est pas une date. Écrivez-la sous la forme 2024-05-10 12:15.`,
    previous: 'Précédent',
    next: 'Suivant',
    newest: 'Plus récent',
    stepBy: 'Pas',
    units: { image: 'image', hour: 'heure', day: 'jour', rotation: 'rotation' },
    play: 'Lire',
    pause: 'Pause',
    speed: 'Vitesse',
    perSecond: (frames) => `${frames} images/s`,
    showAs: 'Heure en',
    local: (text) => `${text} heure locale`,
    carrington: (rotation, longitude) => `CR ${rotation}, L0 ${longitude.toFixed(1)}°`,
  },
  timeline: {
    label: 'Chronologie des images et des événements',
    value: (atMs, span) => `${utc(atMs)}, durée affichée ${span}`,
    hint: 'Les flèches changent l’heure, plus et moins la durée.',
    zoomIn: 'Durée plus courte',
    zoomOut: 'Durée plus longue',
    tooLong: 'Les événements apparaissent sur trente jours au plus.',
    noImages: 'Les images de cette durée n’ont pas pu être chargées.',
    noEvents: 'Les événements de cette durée n’ont pas pu être chargés.',
    failed: 'La chronologie n’a pas pu être chargée.',
    kept: 'Ce qui était chargé reste affiché.',
  },
  helpTitle: 'Comment utiliser cette page',
  helpKeys: [
    ['Flèches', 'déplacent l’image quand elle a le focus'],
    ['+ et −', 'agrandissent et réduisent'],
    ['0', 'montre l’image entière'],
    [', et .', 'image précédente et suivante'],
    ['Espace', 'lance et arrête la lecture'],
    ['f', 'plein écran'],
    ['Échap', 'ferme un outil'],
  ],
  helpTouch:
    'Glissez un doigt pour déplacer l’image, écartez ou rapprochez deux doigts pour changer l’échelle, touchez deux fois pour agrandir.',
  shareTitle: 'Partager cette vue',
  shareLink: 'Lien vers cette vue',
  shareShort: 'Lien court',
  shareEmbed: 'Code d’intégration',
  copy: 'Copier',
  copied: 'Copié',
  openExplorer: 'Ouvrir dans helioedge',
  looks: {
    corona: {
      title: 'Couronne',
      text: 'Des boucles de gaz à un million de degrés suivent le champ magnétique. AIA 171 montre le fer à 0,6 million de kelvins.',
    },
    hot: {
      title: 'Éruptions chaudes',
      text: 'Un gaz à dix millions de kelvins s’illumine là où les éruptions libèrent leur énergie. Ailleurs, AIA 131 est sombre.',
    },
    chromosphere: {
      title: 'Chromosphère',
      text: 'La couche sous la couronne, avec ses filaments et, au bord, ses protubérances. AIA 304 montre l’hélium à 50 000 kelvins.',
    },
    magnetic: {
      title: 'Champ magnétique',
      text: 'Le champ dirigé vers nous est blanc, celui qui s’éloigne est noir. Taches et éruptions naissent là où ils se rencontrent.',
    },
    sunspots: {
      title: 'Taches solaires',
      text: 'La surface en lumière visible. Les taches sont sombres, car des champs intenses empêchent le gaz chaud de monter.',
    },
    eruptions: {
      title: 'Éjections',
      text: 'Des nuages de gaz quittent le Soleil, vus par des coronographes qui masquent le disque brillant. LASCO C2 et C3 vont jusqu’à 30 rayons solaires.',
    },
    missing: 'pas d’images dans cette archive',
    highlights: (day) => `Temps forts du ${day} (heures UTC)`,
    noHighlights: 'Aucune éruption, éjection ou région n’est répertoriée pour ce jour.',
    kinds: {
      flare: 'Éruptions, à leur maximum',
      ejection: 'Éjections de masse coronale les plus rapides',
      eruption: 'Éruptions de filament',
      region: 'Régions actives les plus complexes',
      filament: 'Filament le plus long',
    },
  },
  layers: {
    present: 'Couches de haut en bas',
    add: 'Ajouter une couche',
    search: 'Chercher parmi toutes les sources',
    example: 'AIA 193, LASCO, magnetogram…',
    found: (count) => `${count} ${count < 2 ? 'source' : 'sources'}`,
    full: 'Cinq couches au plus ; retirez-en une pour en ajouter une autre.',
    range: (startMs, endMs) => `du ${utcDay(startMs)} au ${utcDay(endMs)}`,
    hide: (name) => `Masquer ${name}`,
    show: (name) => `Afficher ${name}`,
    up: (name) => `Monter ${name}`,
    down: (name) => `Descendre ${name}`,
    remove: (name) => `Retirer ${name}`,
    hidden: 'masquée',
    opacity: (percent) => `Opacité ${percent} %`,
    difference: 'Différence',
    noDifference: 'aucune',
    running: (count, unit) => `avec l’image ${count} ${UNITS[unit][count < 2 ? 0 : 1]} plus tôt`,
    base: (atMs) => `avec l’image du ${utc(atMs)}`,
  },
  events: {
    types: 'Types d’événements à cette heure',
    none: 'Aucun événement à cette heure.',
    listed: (count) =>
      count === 0
        ? 'Choisissez des types pour voir leurs événements sur l’image et dans cette liste.'
        : `${count} ${count < 2 ? 'événement' : 'événements'}`,
    behind: 'derrière le limbe',
    sources: 'Sources des événements',
    source: (name, state, count) =>
      state === 'failed' ? `${name} : indisponible` : `${name} : ${count} ${count < 2 ? 'événement' : 'événements'}`,
    loaded: (age, isStale) =>
      isStale ? `chargés il y a ${age} ; la source ne répond pas actuellement` : `chargés il y a ${age}`,
    toPeak: 'Aller au maximum',
    toStart: 'Aller au début',
    start: 'Début',
    peak: 'Maximum',
    end: 'Fin',
    place: 'Position',
    by: 'Signalé par',
    names: {
      AR: 'Région active',
      CC: 'Cavité coronale',
      CD: 'Assombrissement coronal',
      CE: 'Éjection de masse coronale',
      CH: 'Trou coronal',
      CJ: 'Jet coronal',
      CW: 'Onde coronale',
      C3: 'DONKI (éjections et éruptions)',
      EF: 'Flux émergent',
      ER: 'Éruption',
      FA: 'Activation de filament',
      FE: 'Éruption de filament',
      FI: 'Filament',
      FL: 'Éruption solaire',
      FP: 'Prévisions d’éruptions',
      F2: 'Éruption (RHESSI)',
      LP: 'Boucle',
      OS: 'Oscillation',
      PG: 'Plage faculaire',
      SG: 'Sigmoïde',
      SP: 'Jet ou surge',
      SS: 'Tache solaire',
    },
  },
  measure: {
    helioprojective: 'Hélioprojectif',
    stonyhurst: 'Stonyhurst',
    carrington: 'Carrington',
    radius: 'r / R☉',
    crosshair: 'Lire les valeurs au réticule, au centre',
    ruler: 'Règle : glisser sur l’image',
    rulerByDrag: 'Activez la règle et glissez d’un point à un autre.',
    rulerByCrosshair: 'Marquez un point, déplacez l’image et marquez-en un autre.',
    mark: 'Marquer ce point',
    grid: 'Grille solaire de 15°',
    earthScale: 'Terre à l’échelle',
    earth: 'Terre',
    note: 'Les positions sont Tx, Ty et longitude, latitude. Les secondes d’arc valent à la distance de l’instrument au Soleil. Les longueurs sont des distances dans le plan du ciel passant par le centre du Soleil.',
  },
  make: {
    screenshot: 'Capture d’écran',
    parts: { view: 'toute la vue', square: 'un carré au centre', region: 'une zone à dessiner' },
    area: 'Zone des images et des films',
    draw: 'Dessiner une autre zone',
    drawing: 'Tracez un rectangle sur l’image.',
    adjust:
      'Faites glisser le rectangle ou son coin. Au clavier : les flèches le déplacent, Maj et une flèche changent sa taille.',
    region: 'Zone',
    corner: 'Taille de la zone',
    regionSize: (width, height) => `${width}″ × ${height}″`,
    pixels: (width, height) => `${width} × ${height} pixels`,
    format: 'Format',
    take: 'Télécharger la capture',
    taking: 'Dessin en cours…',
    saved: 'La capture est dans vos téléchargements.',
    savedAsPng: 'Ce navigateur ne sait pas écrire le WebP. La capture est dans vos téléchargements au format PNG.',
    noScreenshot: 'La capture n’a pas pu être faite.',
    movie: 'Film',
    span: 'Durée autour de cette image',
    spanOf: (ms) => (ms < DAY_MS ? `${ms / HOUR_MS} h` : `${ms / DAY_MS} j`),
    frames: 'Images',
    framesOf: (count) => `jusqu’à ${count}`,
    rate: 'Vitesse',
    rateOf: (count) => `${count} images/s`,
    follow: 'Suivre la rotation du Soleil',
    estimating: 'Estimation du film…',
    noEstimate: 'Ce film ne peut pas être estimé.',
    estimate: (frames, seconds, width, height) =>
      `${frames} images de ${width} × ${height} pixels, durée ${decimal(seconds.toFixed(1))} s, en MP4 et WebM.`,
    expected: (eta, ahead) =>
      ahead === 0
        ? `Prêt dans ${eta} environ.`
        : `Prêt dans ${eta} environ, après ${ahead} autre${ahead === 1 ? '' : 's'} film${ahead === 1 ? '' : 's'}.`,
    noMovie: 'Le film n’a pas été mis en file.',
    make: 'Créer un film',
    mine: 'Films de ce navigateur',
    waiting: (place, eta) => `En attente, place ${place + 1} dans la file ; encore ${eta} environ`,
    running: (frame, frames, eta) => `Image ${frame} sur ${frames} ; encore ${eta} environ`,
    progress: 'Avancement du film',
    movieOf: (name) => `Film de ${name}`,
    page: 'Page du film',
    forget: (name) => `Retirer ${name} de la liste`,
    failed: 'Ce film n’a pas pu être créé.',
    noStatus: 'L’état de ce film n’a pas pu être chargé.',
    repeated: 'La demande sera répétée automatiquement.',
    shared: 'Films partagés par d’autres',
  },
  data: {
    image: 'Image',
    file: 'Fichier JPEG 2000',
    xml: 'En-tête (XML)',
    png: 'Image entière (PNG)',
    codeTitle: 'Code pour cette vue',
    header: (name) => `En-tête FITS de ${name}`,
    noHeader: 'L’en-tête n’a pas pu être chargé.',
    search: 'Chercher mots-clés et valeurs',
    keywords: (count) => `${count} ${count < 2 ? 'mot-clé' : 'mots-clés'}`,
    listTitle: 'Images de la durée de la chronologie',
    listed: (first, last, count, startMs, endMs) => `Images ${first} à ${last} sur ${count}, de ${utc(startMs)} à ${utc(endMs)}.`,
    listedPart: (most) =>
      `La durée de la chronologie compte plus de ${most} images ; celles autour de l’image affichée sont listées.`,
    earlierImages: 'Images précédentes',
    laterImages: 'Images suivantes',
    noList: 'La liste des images n’a pas pu être chargée.',
    keptList: (startMs, endMs) => `Restent listées celles de ${utc(startMs)} à ${utc(endMs)}.`,
    saveList: 'Liste de toute la durée (CSV)',
    facts: ({ id, width, height, scale }) =>
      `Image ${id} : ${width} × ${height} pixels de ${decimal(scale.toPrecision(4))}″ (vus à 1 ua)`,
  },
  about: {
    image: ({ width, height }) => `${width} × ${height} pixels.`,
    distance: (distance) => `Prise ${distance} que l’heure demandée.`,
    orientation:
      'Le nord solaire est en haut et l’ouest à droite, comme le Soleil apparaît depuis l’hémisphère nord de la Terre.',
    news: 'Actualités',
  },
  sources: {
    'AIA 94': 'Ultraviolet extrême émis par le fer à 6 millions de kelvins : le cœur chaud des régions actives et des éruptions.',
    'AIA 131':
      'Ultraviolet extrême émis par le fer à 10 millions de kelvins dans les éruptions, et à 0,4 million de kelvins ailleurs.',
    'AIA 171': 'Ultraviolet extrême émis par le fer à 0,6 million de kelvins : la couronne calme et ses boucles.',
    'AIA 193':
      'Ultraviolet extrême émis par le fer à 1,2 million de kelvins ; les trous coronaux, sources du vent rapide, sont sombres.',
    'AIA 211': 'Ultraviolet extrême émis par le fer à 2 millions de kelvins : la couronne des régions actives.',
    'AIA 304': 'Ultraviolet extrême émis par l’hélium à 50 000 kelvins : la chromosphère, ses filaments et ses protubérances.',
    'AIA 335': 'Ultraviolet extrême émis par le fer à 2,5 millions de kelvins : la couronne chaude des régions actives.',
    'AIA 1600': 'Ultraviolet de la haute photosphère et de la région de transition, où brillent les rubans des éruptions.',
    'AIA 1700': 'Ultraviolet du minimum de température et de la photosphère.',
    'AIA 4500': 'Lumière visible de la photosphère, la surface du Soleil.',
    'HMI Cont':
      'Lumière visible de la photosphère : les taches solaires, sans l’assombrissement vers le bord dans certains produits.',
    'HMI Mag': 'Le champ magnétique le long de la ligne de visée : blanc vers l’observateur, noir dans l’autre sens.',
    MDI: 'Lumière visible ou champ magnétique de la photosphère, par le prédécesseur de HMI sur SOHO.',
    EIT: 'Ultraviolet extrême de la couronne et de la chromosphère, par le prédécesseur d’AIA sur SOHO.',
    'LASCO C2':
      'La couronne de 2 à 6 rayons solaires en lumière blanche, diffusée par les électrons libres ; un disque masque le Soleil.',
    'LASCO C3': 'La couronne de 4 à 30 rayons solaires en lumière blanche ; un disque masque le Soleil.',
    SUVI: 'Ultraviolet extrême de la couronne depuis les satellites météorologiques GOES, à grand champ.',
    XRT: 'Rayons X mous de la couronne à plus d’un million de kelvins, par Hinode.',
    IRIS: 'Ultraviolet d’une petite partie de la chromosphère et de la région de transition ; la carte montre laquelle.',
    COR: 'La couronne en lumière blanche depuis une sonde STEREO, qui voit le Soleil d’un autre côté que la Terre.',
    EUVI: 'Ultraviolet extrême de la couronne depuis une sonde STEREO, qui voit une autre face du Soleil que la Terre.',
  },
  unknownSource: 'Une image du Soleil issue de l’archive ; son en-tête indique l’instrument et la bande.',
};
