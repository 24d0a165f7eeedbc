// The modules that the first view needs. Each module that loads later imports this one, so that all of them share one file: the bundler
// makes a file for each set of modules that have the same users. Some small ones are here because a file of their own would be larger.
import '../platform/limits/maps.ts';
import '../platform/limits/rendering.ts';
import '../sun/catalogue/datasource.ts';
import './api/catalogue.ts';
import './api/images.ts';
import './api/request.ts';
import './model/readout.ts';
import './page/caption.tsx';
import './page/controls.tsx';
import './page/loading.tsx';
import './page/stage.tsx';
import './picture/decorations.tsx';
import './picture/content.ts';
import './picture/picture.ts';
import './store/actions.ts';
import './store/address.ts';
import './store/events.ts';
import './store/kept-list.ts';
import './store/open.ts';
import './store/state.ts';
import './texts/language.ts';
import './theme.ts';
import './time/moments.ts';
import './time/play.ts';
import './time/range.ts';
import './time/time-field.tsx';
