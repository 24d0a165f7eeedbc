// Saves what play shows as a movie that the browser encodes. Loads with the first one.
import '../core.ts';
import '../picture/tile-sheet.ts';
import { SERVICE_NAME } from '../../../config/identity.ts';
import type { PictureArea } from '../api/pictures.ts';
import { PageError } from '../api/request.ts';
import { encodingsOf } from '../model/saved-movie.ts';
import { captioned } from '../page/caption.tsx';
import { permanentAddress } from '../store/address.ts';
import { currentPicture, present } from '../store/open.ts';
import { rebased, type Shown } from '../store/shown.ts';
import { isSynthetic } from '../store/state.ts';
import { saving } from '../texts/more.ts';
import { utc } from '../texts/times.ts';
import { texts } from '../texts.ts';
import { momentsToPlay, shownAt } from '../time/moments.ts';
import { fileTime } from './files.ts';
import { firstSupported, MovieWriter } from './movie-writer.ts';
import { layoutOf, picturesOf } from './pictures.ts';

interface SavingOptions {
  /** In pixels of the screen. */
  readonly area: PictureArea;
  readonly rate: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** The states of the page while it plays, in the styles that its layers have now. */
async function playedStates(now: Shown, signal: AbortSignal): Promise<readonly Shown[]> {
  const moments = await momentsToPlay(now, false, signal);
  if (!moments) throw new PageError(texts.time.nothingToPlay);
  const { list, since } = moments;
  return list.map((moment) => rebased(shownAt(moment, since), since, now));
}

/** Encodes the range of play. @throws PageError with the reason; the reason of the signal; as `loadTextures` */
export async function saveMovie({ area, rate, signal, onProgress }: SavingOptions) {
  const now = present()!;
  const names = captioned(now).map(({ name }) => name);
  const [address, ending] = [permanentAddress(), isSynthetic.value ? '_synthetic' : ''];
  const pageScale = currentPicture()!.camera!.scale;
  const states = await playedStates(now, signal);
  const layout = layoutOf(area, pageScale);
  const encoding = await firstSupported(encodingsOf(layout.size, rate));
  const pictures = encoding && (await picturesOf(states, layout, signal));
  if (!encoding || !pictures) throw new PageError(saving.unsupported);
  const [startMs, endMs] = [states[0]!.view.atMs, states.at(-1)!.view.atMs];
  const title = `${names.join(', ')} · ${utc(startMs)} – ${utc(endMs)}`;
  const writer = new MovieWriter(encoding, {
    title,
    artist: SERVICE_NAME,
    comment: `Address: ${address.slice(location.origin.length)}`,
  });
  try {
    onProgress(0, states.length);
    let done = 0;
    for await (const picture of pictures) {
      await writer.add(picture);
      signal.throwIfAborted();
      done += 1;
      onProgress(done, states.length);
    }
    const file = await writer.finish();
    signal.throwIfAborted();
    const name = `${[fileTime(startMs), fileTime(endMs), ...names.map((one) => one.replaceAll(' ', '_'))].join('_')}${ending}${writer.extension}`;
    return { file, name, frames: states.length, ...layout.size };
  } catch (error) {
    // What the encoder throws; a failed request has been turned into a sentence.
    if (error instanceof DOMException && !signal.aborted) throw new PageError(saving.encoderFailed);
    throw error;
  } finally {
    writer.close();
  }
}
