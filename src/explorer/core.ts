// The modules that the first view needs. The build makes each module that loads later import this one, so that all of them share one file: the
// bundler makes a file for each set of modules that have the same users. Some small ones are here because a file of their own would be larger.
// They run in this order.
import './page/first.ts';
import '../platform/limits/maps.ts';
import '../platform/limits/rendering.ts';
import './page/stage.tsx';
import './theme.ts';
import './time/time-field.tsx';
