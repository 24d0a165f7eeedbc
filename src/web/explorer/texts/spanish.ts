// The Spanish texts of the page. Names of instruments, coordinates and formats are those of the field.

import type { TimeUnit } from '../../../domain/recipe/difference.ts';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';
import type { Texts } from './english.ts';
import { imageTime, utc, utcDay } from './times.ts';

const UNITS: Readonly<Record<TimeUnit, readonly [string, string]>> = {
  second: ['segundo', 'segundos'],
  minute: ['minuto', 'minutos'],
  hour: ['hora', 'horas'],
  day: ['día', 'días'],
  week: ['semana', 'semanas'],
  month: ['mes', 'meses'],
  year: ['año', 'años'],
};

const decimal = (text: string) => text.replace('.', ',');

export const spanish: Texts = {
  durations: {
    year: (count) => `${count} ${count === 1 ? 'año' : 'años'}`,
    day: (count) => `${count} ${count === 1 ? 'día' : 'días'}`,
    earlier: (duration) => `${duration} antes`,
    later: (duration) => `${duration} después`,
  },
  loading: 'Cargando la imagen…',
  loadingEvents: 'Cargando los sucesos…',
  loadingPart: 'Cargando…',
  retry: 'Reintentar',
  dismiss: 'Ocultar',
  close: 'Cerrar',
  synthetic: 'datos de ejemplo sintéticos',
  syntheticMore:
    'Las cabeceras de estas imágenes indican que son sintéticas: no muestran ninguna observación ni ningún suceso real.',
  picture: 'Imagen del Sol. Las flechas la mueven, más y menos cambian la escala, 0 la muestra entera.',
  shows: (image) => `Se muestra ${image.name}, ${imageTime(image)}.`,
  stillShown: (image) => `Se sigue mostrando ${image.name}, ${imageTime(image)}.`,
  empty: 'El archivo aún no tiene imágenes.',
  sample: (done, total) => `Archivo de ejemplo: ${done} de ${total} imágenes hasta ahora`,
  failures: {
    offline: 'No se puede acceder al servicio. Compruebe la conexión.',
    late: 'El servicio no respondió a tiempo.',
    status: (status) => `El servicio falló con el estado ${status}.`,
    internal: 'Se ha producido un error en esta página.',
    picture: 'No se pudo cargar la imagen.',
    tiles: (count) =>
      count === 1 ? 'No se pudo cargar una parte de la imagen.' : `No se pudieron cargar ${count} partes de la imagen.`,
    events: 'La fuente de los sucesos no responde.',
    catalogue: 'No se pudo cargar la lista de fuentes.',
    part: 'No se pudo cargar esta parte de la página.',
    looks: 'No se pudieron cargar imágenes de las vistas.',
    sharedMovies: 'No se pudo cargar la lista de vídeos compartidos.',
    shortLink: 'No se pudo crear el enlace corto.',
    eventSources: (names) => `Sin acceso a ${names.join(', ')}; se muestran los sucesos de las demás fuentes.`,
    copy: 'El navegador no permitió copiar. Seleccione el texto.',
  },
  noteAction: 'Mostrar la imagen más reciente',
  noteWays: { date: 'Introducir otra fecha', layers: 'Elegir capas', events: 'Elegir sucesos' },
  note: (note) => {
    switch (note.kind) {
      case 'bad-date':
        return `«${note.given}» no es una fecha que esta página pueda leer; se muestra la imagen más reciente.`;
      case 'unknown-source':
        return `La fuente «${note.given}» no existe; ${note.instead ? `se muestra ${note.instead}` : 'se omite'}.`;
      case 'alias':
        return `La fuente ${note.given} es aquí ${note.name} (fuente ${note.sourceId}).`;
      case 'bad-layers':
        return `Las capas «${note.given}» no se pueden leer; se muestra AIA 171.`;
      case 'bad-place':
        return `«${note.given}» no es un lugar de esta imagen; se omite.`;
      case 'too-many-layers':
        return `El enlace tiene ${note.given} capas; se muestran las cinco primeras.`;
      case 'bad-opacity':
        return `«${note.given}» no es una opacidad de 0 a 100 %; la de la capa es del ${note.used} %.`;
      case 'bad-difference':
        return `«${note.given}» no es una diferencia que esta página pueda leer; la capa se muestra sin diferencia.`;
      case 'no-images':
        return `Este archivo no tiene imágenes de ${note.given}; se muestra ${note.instead}.`;
      case 'all-hidden':
        return `Todas las capas del enlace están ocultas; se muestra ${note.instead}.`;
      case 'half-place':
        return `«${note.given}» es solo una parte de un lugar, que requiere centerX, centerY e imageScale; se omite.`;
      case 'unknown-event':
        return `«${note.given}» no es un tipo de sucesos; se omite.`;
      case 'unknown-view':
        return `La vista compartida «${note.given}…» no existe; se muestra la imagen más reciente.`;
    }
  },
  far: (name, distance) => `La imagen de ${name} más cercana se tomó ${distance} de la hora pedida.`,
  noImage: (name) => `No hay imágenes de ${name}.`,
  seeing: '¿Qué estoy viendo?',
  share: 'Compartir',
  fullScreen: 'Pantalla completa',
  help: 'Ayuda',
  language: 'Idioma',
  notices: 'Avisos',
  panels: { looks: 'Aspectos', layers: 'Capas', events: 'Sucesos', measure: 'Medir', make: 'Crear', data: 'Datos' },
  panelsLabel: 'Herramientas',
  zoomIn: 'Acercar',
  zoomOut: 'Alejar',
  fit: 'Imagen entera',
  zoom: 'Escala',
  locator: 'Lugar de la imagen en el Sol',
  time: {
    label: 'Tiempo',
    field: 'Fecha y hora (UTC)',
    badDate: (given) => `«${given}» no es una fecha. Escríbala como 2024-05-10 12:15.`,
    previous: 'Anterior',
    next: 'Siguiente',
    newest: 'Más reciente',
    stepBy: 'Paso',
    units: { image: 'imagen', hour: 'hora', day: 'día', rotation: 'rotación' },
    play: 'Reproducir',
    pause: 'Pausa',
    speed: 'Velocidad',
    perSecond: (frames) => `${frames} imágenes/s`,
    showAs: 'Hora como',
    local: (text) => `${text} hora local`,
    carrington: (rotation, longitude) => `CR ${rotation}, L0 ${longitude.toFixed(1)}°`,
  },
  timeline: {
    label: 'Cronología de imágenes y sucesos',
    value: (atMs, span) => `${utc(atMs)}, intervalo de ${span}`,
    hint: 'Las flechas cambian la hora, más y menos el intervalo.',
    zoomIn: 'Intervalo más corto',
    zoomOut: 'Intervalo más largo',
    tooLong: 'Los sucesos aparecen en intervalos de hasta treinta días.',
    noImages: 'No se pudieron cargar las imágenes de este intervalo.',
    noEvents: 'No se pudieron cargar los sucesos de este intervalo.',
    failed: 'No se pudo cargar la cronología.',
    kept: 'Lo cargado antes se sigue mostrando.',
  },
  helpTitle: 'Cómo se usa esta página',
  helpKeys: [
    ['Flechas', 'mueven la imagen cuando tiene el foco'],
    ['+ y −', 'acercan y alejan'],
    ['0', 'muestra la imagen entera'],
    [', y .', 'imagen anterior y siguiente'],
    ['Espacio', 'reproduce y detiene'],
    ['f', 'pantalla completa'],
    ['Esc', 'cierra una herramienta'],
  ],
  helpTouch:
    'Arrastre con un dedo para mover la imagen, separe o junte dos para cambiar la escala y toque dos veces para acercar.',
  shareTitle: 'Compartir esta vista',
  shareLink: 'Enlace a esta vista',
  shareShort: 'Enlace corto',
  shareEmbed: 'Código para insertarla',
  copy: 'Copiar',
  copied: 'Copiado',
  openExplorer: 'Abrir en helioedge',
  looks: {
    corona: {
      title: 'Corona',
      text: 'Arcos de gas a un millón de grados que siguen el campo magnético. AIA 171 muestra hierro a 0,6 millones de kelvin.',
    },
    hot: {
      title: 'Fulguraciones calientes',
      text: 'El gas a diez millones de kelvin brilla donde las fulguraciones liberan energía. En el resto, AIA 131 es oscuro.',
    },
    chromosphere: {
      title: 'Cromosfera',
      text: 'La capa bajo la corona, con filamentos y, en el borde, protuberancias. AIA 304 muestra helio a 50 000 kelvin.',
    },
    magnetic: {
      title: 'Campo magnético',
      text: 'El blanco es campo hacia nosotros; el negro, campo que se aleja. Donde se encuentran nacen manchas y fulguraciones.',
    },
    sunspots: {
      title: 'Manchas solares',
      text: 'La superficie en luz visible. Las manchas son oscuras porque los campos intensos impiden que suba el gas caliente.',
    },
    eruptions: {
      title: 'Eyecciones',
      text: 'Nubes de gas abandonan el Sol, vistas por coronógrafos que tapan el disco brillante. LASCO C2 y C3 llegan a 30 radios solares.',
    },
    missing: 'no hay imágenes en este archivo',
    highlights: (day) => `Lo más destacado del ${day} (horas en UTC)`,
    noHighlights: 'No consta ninguna fulguración, eyección ni región de este día.',
    kinds: {
      flare: 'Fulguraciones, en su máximo',
      ejection: 'Eyecciones de masa coronal más rápidas',
      eruption: 'Erupciones de filamento',
      region: 'Regiones activas más complejas',
      filament: 'Filamento más largo',
    },
  },
  layers: {
    present: 'Capas de arriba abajo',
    add: 'Añadir una capa',
    search: 'Buscar en todas las fuentes',
    example: 'AIA 193, LASCO, magnetogram…',
    found: (count) => `${count} ${count === 1 ? 'fuente' : 'fuentes'}`,
    full: 'Como máximo cinco capas; quite una para añadir otra.',
    range: (startMs, endMs) => `de ${utcDay(startMs)} a ${utcDay(endMs)}`,
    hide: (name) => `Ocultar ${name}`,
    show: (name) => `Mostrar ${name}`,
    up: (name) => `Subir ${name}`,
    down: (name) => `Bajar ${name}`,
    remove: (name) => `Quitar ${name}`,
    hidden: 'oculta',
    opacity: (percent) => `Opacidad ${percent} %`,
    difference: 'Diferencia',
    noDifference: 'ninguna',
    running: (count, unit) => `con la imagen de ${count} ${UNITS[unit][count === 1 ? 0 : 1]} antes`,
    base: (atMs) => `con la imagen de ${utc(atMs)}`,
  },
  events: {
    types: 'Tipos de sucesos a esta hora',
    none: 'No hay sucesos a esta hora.',
    listed: (count) =>
      count === 0
        ? 'Elija tipos para ver sus sucesos como marcas y en esta lista.'
        : `${count} ${count === 1 ? 'suceso' : 'sucesos'}`,
    behind: 'detrás del limbo',
    sources: 'Fuentes de los sucesos',
    source: (name, state, count) =>
      state === 'failed' ? `${name}: no disponible` : `${name}: ${count} ${count === 1 ? 'suceso' : 'sucesos'}`,
    loaded: (age, isStale) => (isStale ? `cargados hace ${age}; la fuente no responde ahora` : `cargados hace ${age}`),
    toPeak: 'Ir al máximo',
    toStart: 'Ir al inicio',
    start: 'Inicio',
    peak: 'Máximo',
    end: 'Fin',
    place: 'Lugar',
    by: 'Comunicado por',
    names: {
      AR: 'Región activa',
      CC: 'Cavidad coronal',
      CD: 'Oscurecimiento coronal',
      CE: 'Eyección de masa coronal',
      CH: 'Agujero coronal',
      CJ: 'Chorro coronal',
      CW: 'Onda coronal',
      C3: 'DONKI (eyecciones y fulguraciones)',
      EF: 'Flujo emergente',
      ER: 'Erupción',
      FA: 'Activación de filamento',
      FE: 'Erupción de filamento',
      FI: 'Filamento',
      FL: 'Fulguración',
      FP: 'Predicciones de fulguraciones',
      F2: 'Fulguración (RHESSI)',
      LP: 'Arco',
      OS: 'Oscilación',
      PG: 'Playa',
      SG: 'Sigmoide',
      SP: 'Espray o surge',
      SS: 'Mancha solar',
    },
  },
  measure: {
    helioprojective: 'Helioproyectivas',
    stonyhurst: 'Stonyhurst',
    carrington: 'Carrington',
    radius: 'r / R☉',
    crosshair: 'Leer en una retícula en el centro',
    ruler: 'Regla: arrastrar sobre la imagen',
    rulerByDrag: 'Active la regla y arrastre de un punto a otro.',
    rulerByCrosshair: 'Marque un punto, mueva la imagen y marque otro.',
    mark: 'Marcar este punto',
    grid: 'Cuadrícula solar de 15°',
    earthScale: 'La Tierra a escala',
    earth: 'Tierra',
    note: 'Los lugares son Tx, Ty y longitud, latitud. Los segundos de arco corresponden a la distancia del instrumento al Sol. Las longitudes son distancias en el plano del cielo que pasa por el centro del Sol.',
  },
  make: {
    screenshot: 'Captura de pantalla',
    parts: { view: 'toda la vista', square: 'un cuadrado en el centro', region: 'una región dibujada' },
    area: 'Área de imágenes y vídeos',
    draw: 'Dibujar otra región',
    drawing: 'Trace un rectángulo sobre la imagen.',
    adjust: 'Arrastre el rectángulo o su esquina. Con el teclado: las flechas lo mueven, Mayús con una flecha cambia su tamaño.',
    region: 'Región',
    corner: 'Tamaño de la región',
    regionSize: (width, height) => `${width}″ × ${height}″`,
    pixels: (width, height) => `${width} × ${height} píxeles`,
    format: 'Formato',
    take: 'Descargar la captura',
    taking: 'Dibujando…',
    saved: 'La captura está en sus descargas.',
    savedAsPng: 'Este navegador no sabe escribir WebP. La captura está en sus descargas como PNG.',
    noScreenshot: 'No se pudo hacer la captura.',
    movie: 'Vídeo',
    span: 'Intervalo alrededor de esta imagen',
    spanOf: (ms) => (ms < DAY_MS ? `${ms / HOUR_MS} h` : `${ms / DAY_MS} d`),
    frames: 'Imágenes',
    framesOf: (count) => `hasta ${count}`,
    rate: 'Velocidad',
    rateOf: (count) => `${count} imágenes/s`,
    follow: 'Seguir la rotación del Sol',
    estimating: 'Estimando el vídeo…',
    noEstimate: 'Este vídeo no se puede estimar.',
    estimate: (frames, seconds, width, height) =>
      `${frames} imágenes de ${width} × ${height} píxeles, duración ${decimal(seconds.toFixed(1))} s, en MP4 y WebM.`,
    expected: (eta, ahead) =>
      ahead === 0 ? `Listo en unos ${eta}.` : `Listo en unos ${eta}, tras ${ahead} ${ahead === 1 ? 'vídeo más' : 'vídeos más'}.`,
    noMovie: 'El vídeo no se puso en cola.',
    make: 'Crear un vídeo',
    mine: 'Vídeos de este navegador',
    waiting: (place, eta) => `En espera, puesto ${place + 1} de la cola; faltan unos ${eta}`,
    running: (frame, frames, eta) => `Imagen ${frame} de ${frames}; faltan unos ${eta}`,
    progress: 'Progreso del vídeo',
    movieOf: (name) => `Vídeo de ${name}`,
    page: 'Página del vídeo',
    forget: (name) => `Quitar ${name} de la lista`,
    failed: 'No se pudo crear este vídeo.',
    noStatus: 'No se pudo cargar el estado de este vídeo.',
    repeated: 'La petición se repite automáticamente.',
    shared: 'Vídeos compartidos por otros',
  },
  data: {
    image: 'Imagen',
    file: 'Archivo JPEG 2000',
    xml: 'Cabecera (XML)',
    png: 'Imagen entera (PNG)',
    codeTitle: 'Código para esta vista',
    header: (name) => `Cabecera FITS de ${name}`,
    noHeader: 'No se pudo cargar la cabecera.',
    search: 'Buscar palabras clave y valores',
    keywords: (count) => `${count} ${count === 1 ? 'palabra clave' : 'palabras clave'}`,
    listTitle: 'Imágenes en el intervalo de la cronología',
    listed: (first, last, count, startMs, endMs) =>
      `Imágenes ${first} a ${last} de ${count}, de ${utc(startMs)} a ${utc(endMs)}.`,
    listedPart: (most) => `El intervalo de la cronología tiene más de ${most} imágenes; se listan las cercanas a la mostrada.`,
    earlierImages: 'Imágenes anteriores',
    laterImages: 'Imágenes posteriores',
    noList: 'No se pudo cargar la lista de imágenes.',
    keptList: (startMs, endMs) => `Se siguen listando las de ${utc(startMs)} a ${utc(endMs)}.`,
    saveList: 'Lista de todo el intervalo (CSV)',
    facts: ({ id, width, height, scale }) =>
      `Imagen ${id}: ${width} × ${height} píxeles de ${decimal(scale.toPrecision(4))}″ (vistos desde 1 ua)`,
  },
  about: {
    image: ({ width, height }) => `${width} × ${height} píxeles.`,
    distance: (distance) => `Tomada ${distance} de la hora pedida.`,
    orientation: 'El norte solar está arriba y el oeste a la derecha, como se ve el Sol desde el hemisferio norte de la Tierra.',
    news: 'Noticias',
  },
  sources: {
    'AIA 94':
      'Ultravioleta extremo del hierro a 6 millones de kelvin: los núcleos calientes de regiones activas y fulguraciones.',
    'AIA 131':
      'Ultravioleta extremo del hierro a 10 millones de kelvin en las fulguraciones y a 0,4 millones de kelvin en el resto.',
    'AIA 171': 'Ultravioleta extremo del hierro a 0,6 millones de kelvin: la corona en calma y sus arcos.',
    'AIA 193':
      'Ultravioleta extremo del hierro a 1,2 millones de kelvin; los agujeros coronales, fuentes del viento rápido, son oscuros.',
    'AIA 211': 'Ultravioleta extremo del hierro a 2 millones de kelvin: la corona de las regiones activas.',
    'AIA 304': 'Ultravioleta extremo del helio a 50 000 kelvin: la cromosfera, con filamentos y protuberancias.',
    'AIA 335': 'Ultravioleta extremo del hierro a 2,5 millones de kelvin: la corona caliente de las regiones activas.',
    'AIA 1600': 'Ultravioleta de la fotosfera superior y la región de transición, donde brillan las cintas de las fulguraciones.',
    'AIA 1700': 'Ultravioleta del mínimo de temperatura y de la fotosfera.',
    'AIA 4500': 'Luz visible de la fotosfera, la superficie del Sol.',
    'HMI Cont': 'Luz visible de la fotosfera: manchas solares, en algunos productos sin el oscurecimiento hacia el limbo.',
    'HMI Mag': 'El campo magnético en la línea de visión: blanco hacia el observador, negro en sentido contrario.',
    MDI: 'Luz visible o campo magnético de la fotosfera, del predecesor de HMI en SOHO.',
    EIT: 'Ultravioleta extremo de la corona y la cromosfera, del predecesor de AIA en SOHO.',
    'LASCO C2': 'La corona de 2 a 6 radios solares en luz blanca, dispersada por electrones libres; un disco tapa el Sol.',
    'LASCO C3': 'La corona de 4 a 30 radios solares en luz blanca; un disco tapa el Sol.',
    SUVI: 'Ultravioleta extremo de la corona desde los satélites meteorológicos GOES, con un campo amplio.',
    XRT: 'Rayos X blandos de la corona a más de un millón de kelvin, de Hinode.',
    IRIS: 'Ultravioleta de una pequeña parte de la cromosfera y la región de transición; el mapa muestra cuál.',
    COR: 'La corona en luz blanca desde una sonda STEREO, que ve el Sol desde otro lado que la Tierra.',
    EUVI: 'Ultravioleta extremo de la corona desde una sonda STEREO, que ve otra cara del Sol que la Tierra.',
  },
  unknownSource: 'Una imagen del Sol del archivo; su cabecera indica el instrumento y la banda.',
};
