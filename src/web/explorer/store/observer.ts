// Where the shown picture was taken from.
import { computed, signal } from '@preact/signals';
import { observerOf, type ViewObserver } from '../../../domain/coordinates/picture-plane.ts';
import { baseImage } from './state.ts';

/** The FITS header of the lowest shown image, once it has loaded. */
export const header = signal<{ readonly id: number; readonly fits: readonly (readonly [string, string])[] } | null>(null);

export const observer = computed<ViewObserver | null>(() => {
  const image = baseImage.value;
  if (!image) return null;
  const fits = header.value?.id === image.id ? header.value.fits : [];
  return observerOf(Date.parse(image.takenAt), image.dsun, new Map(fits));
});
