// The modules that parts share which load after the first view: the timeline, panels, dialogs and the page of a movie. The build makes each of
// them import this one, so that all of them share one file (core.ts), which loads with the timeline.
import './model/timeline.ts';
import './page/fields.tsx';
import './store/kept-list.ts';
import './store/layers.ts';
import './time/coverage.ts';
import './time/timeline-range.ts';
