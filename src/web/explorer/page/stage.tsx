// The picture and what lies over it: caption, overlays, pins, zoom buttons.
import { useEffect, useRef } from 'preact/hooks';
import { Decorations } from '../picture/decorations.tsx';
import { pointIn } from '../picture/geometry.ts';
import { addGestures } from '../picture/gestures.ts';
import { Picture } from '../picture/picture.ts';
import { moved } from '../store/actions.ts';
import { showFirst } from '../store/boot.ts';
import { currentPicture, usePicture } from '../store/open.ts';
import { baseImage, camera, isSynthetic, observer, pictureSize, pictureState, projection, shown } from '../store/state.ts';
import { hasChannels, isMeasuring, pointer } from '../store/tools.ts';
import { texts } from '../texts.ts';
import { Caption } from './caption.tsx';
import { IconButton, setTo, setter, toggle } from './controls.tsx';
import { Notices } from './notices.tsx';

function ZoomButtons() {
  return (
    <fieldset class="zoom" aria-label={texts.zoom}>
      <IconButton icon="plus" label={texts.zoomIn} act={() => currentPicture()?.zoom(2)} />
      <IconButton icon="minus" label={texts.zoomOut} act={() => currentPicture()?.zoom(1 / 2)} />
      <IconButton icon="channels" label={texts.channels.title} act={toggle(hasChannels)} />
      <IconButton icon="fit" label={texts.fit} act={() => currentPicture()?.fit()} />
      {projection.value.kind === 'sphere' && (
        <IconButton icon="turn" label={texts.turnHome} act={() => currentPicture()?.turnHome()} />
      )}
    </fieldset>
  );
}

function startPicture(element: HTMLElement, first: HTMLElement | null): void {
  const picture = new Picture(element, {
    onCamera: (view, byUser) => {
      camera.value = view;
      projection.value = picture.projection;
      pictureSize.value = picture.size;
      if (byUser) moved();
    },
    home: () => {
      const from = observer.value;
      return from && { longitude: from.longitudeDegrees, latitude: from.b0Degrees };
    },
    onState: (state) => {
      const known = pictureState.peek();
      const isSame = known.isComplete === state.isComplete && known.failures === state.failures;
      if (!isSame || known.tileScale !== state.tileScale) pictureState.value = state;
      if (state.isComplete) first?.remove();
    },
  });
  usePicture(picture);
  addGestures(element, element.parentElement!, picture, () => !isMeasuring.value);
  element.addEventListener('pointermove', (event) => setter(pointer)(pointIn(element, event)));
  element.addEventListener('pointerleave', setTo(pointer, null));
  void showFirst();
}

export function Stage({ first }: { readonly first: HTMLElement | null }) {
  const view = useRef<HTMLDivElement>(null);
  const under = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (first) under.current!.append(first);
    startPicture(view.current!, first);
  }, [first]);
  return (
    <div class="stage">
      <div ref={under} class="under" aria-hidden="true" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the picture moves by keys, as the role says */}
      <div id="view" ref={view} role="application" tabIndex={0} aria-label={texts.picture} aria-describedby="caption" />
      <Decorations />
      <Caption />
      {isSynthetic.value && (
        <p class="synthetic" title={texts.syntheticMore}>
          {texts.synthetic}
        </p>
      )}
      <Notices />
      {shown.value && baseImage.value && <ZoomButtons />}
    </div>
  );
}
