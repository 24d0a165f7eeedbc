// The step of the time bar, of play and of the shortcuts.
import { signal } from '@preact/signals';
import type { StepUnit } from '../store/actions.ts';

export const stepUnit = signal<StepUnit>('image');
