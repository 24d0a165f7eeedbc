// The sheet of a picture on paper: the picture, what it shows, its credits, and the address with its QR code.
import { render } from 'preact';
import { captioned } from '../page/caption.tsx';
import { distanceText } from '../page/numbers.ts';
import { permanentAddress } from '../store/address.ts';
import type { Shown } from '../store/shown.ts';
import { isSynthetic } from '../store/state.ts';
import { imageTime } from '../texts/times.ts';
import { texts } from '../texts.ts';
import { qrCode } from './qr.ts';

/** Prints a picture, and removes its sheet when that is done. */
export function printSheet(picture: HTMLCanvasElement, state: Shown, credits: readonly string[]): void {
  const address = permanentAddress();
  const rows = qrCode(address);
  // Four light modules around it, without which readers may not find it.
  const side = rows.length + 8;
  const words = document.createElement('footer');
  const layers = captioned(state).map(({ image, name, compared, apart }) =>
    [`${name} ${imageTime(image)}`, distanceText(image.distanceSeconds), compared?.text, apart].filter(Boolean).join(' · '),
  );
  render(
    <>
      <div>
        {[...layers, ...(isSynthetic.value ? [texts.synthetic] : []), ...credits].map((line) => (
          <p key={line}>{line}</p>
        ))}
        <p>
          {texts.shareLink}: <a href={address}>{address}</a>
        </p>
      </div>
      <svg viewBox={`-4 -4 ${side} ${side}`} role="img" aria-label={texts.shareLink} shape-rendering="crispEdges">
        <path d={rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')} />
      </svg>
    </>,
    words,
  );
  const sheet = Object.assign(document.createElement('section'), { className: 'sheet' });
  sheet.append(picture, words);
  document.querySelector('.sheet')?.remove();
  document.body.append(sheet);
  addEventListener('afterprint', () => sheet.remove(), { once: true });
  print();
}
