// The modules that the first view needs. Each module that loads later imports this one, so that all of them share one file: the bundler
// makes a file for each set of modules that have the same users.
import './api/images.ts';
import './api/request.ts';
import './picture/furniture.tsx';
import './picture/picture.ts';
import './shell/caption.tsx';
import './shell/failure.tsx';
import './shell/icons.tsx';
import './shell/lazy.tsx';
import './shell/loaded.ts';
import './shell/numbers.ts';
import './shell/stage.tsx';
import './store/actions.ts';
import './store/address.ts';
import './store/boot.ts';
import './store/events.ts';
import './store/measure.ts';
import './store/observer.ts';
import './store/open.ts';
import './store/region.ts';
import './store/state.ts';
import './texts/language.ts';
import './texts/times.ts';
