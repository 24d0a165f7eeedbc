// The tour: a sentence or two about each part of the page, with a frame around the part.
import { useEffect, useRef, useState } from 'preact/hooks';
import { PANELS, tourStep } from '../store/state.ts';
import { guide } from '../texts/more.ts';
import { fill, texts } from '../texts.ts';
import { Button, IconButton, listened, onKeys, setTo } from './controls.tsx';

type Step = { readonly name: keyof typeof guide.steps; readonly part: string; readonly title: string };

const tools: readonly Step[] = PANELS.map((name) => ({ name, part: `#tool-${name}`, title: texts.panels[name] }));
/** The time comes after layers and events, which move through it. */
const TOOLS_BEFORE_TIME = 3;
const STEPS: readonly Step[] = [
  { name: 'picture', part: '#view', title: guide.picture },
  ...tools.slice(0, TOOLS_BEFORE_TIME),
  { name: 'time', part: '.time', title: texts.time.label },
  ...tools.slice(TOOLS_BEFORE_TIME),
];

function Frame({ part }: Pick<Step, 'part'>) {
  const [box, setBox] = useState<DOMRect | null>(null);
  useEffect(() => {
    const measure = () => setBox(document.querySelector(part)?.getBoundingClientRect() ?? null);
    measure();
    return listened(window, { resize: measure });
  }, [part]);
  if (!box) return null;
  const { left, top, width, height } = box;
  return <div class="tour-frame" style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }} />;
}

export function Tour() {
  const heading = useRef<HTMLHeadingElement>(null);
  const at = tourStep.value ?? 0;
  // Announces each step.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [at]);
  const { name, part, title } = STEPS[at]!;
  const end = () => {
    tourStep.value = null;
    document.getElementById('help')?.focus();
  };
  const go = (to: number) => {
    if (to >= STEPS.length) end();
    else if (to >= 0) tourStep.value = to;
  };
  return (
    <>
      <Frame part={part} />
      <section
        id="tour"
        class="tour"
        role="dialog"
        aria-labelledby="tour-title"
        onKeyDown={(event) => {
          event.stopPropagation();
          onKeys({ Escape: STEPS.length, ArrowRight: at + 1, ArrowLeft: at - 1 }, go)(event);
        }}
      >
        <p class="quiet">{fill(guide.step, { step: at + 1, steps: STEPS.length })}</p>
        <h2 id="tour-title" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <p>{guide.steps[name]}</p>
        <div class="tour-buttons">
          <Button label={guide.back} act={setTo(tourStep, at - 1)} disabled={at === 0} />
          <Button label={at === STEPS.length - 1 ? guide.end : guide.next} act={() => go(at + 1)} class="primary" />
          <IconButton icon="close" label={guide.end} act={end} />
        </div>
      </section>
    </>
  );
}
