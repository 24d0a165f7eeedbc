import { it } from 'vitest';
import { expectHistories } from './histories.ts';

it('keeps every statement in further histories of the whole service', () => expectHistories(1001, 20));
