// The first of the modules of the view, which run for some time.
import { requestFirst } from '../picture/first-paths.ts';

try {
  requestFirst();
} catch (error) {
  console.warn(error);
}
