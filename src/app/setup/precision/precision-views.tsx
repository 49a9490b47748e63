/**
 * The sizes of the gradients in the step at the cursor, and the loss scale so far, as wide as the container. Used in
 * the set-up and in lessons.
 */
import { type ReactNode, useMemo, useRef } from 'react';
import { useSize } from '../../draw/use-surface';
import { isConstruct } from '../../state/kept-run';
import { useApp, useSettled } from '../../state/use-app';
import { RangeFigure, shownRange } from './range-figure';
import { ScaleFigure } from './scale-figure';
import { scaleStory } from './scale-story';

function Sized({ children }: { readonly children: (width: number) => ReactNode }) {
  const host = useRef<HTMLDivElement>(null);
  const { width } = useSize(host);
  return <div ref={host}>{width > 0 && children(width)}</div>;
}

const EVERY_MS = 150;

export function RangeView() {
  const [info, trace] = useSettled(
    ({ info: of, cursor, traces }) => [of, cursor && traces[cursor.trace]] as const,
    EVERY_MS,
  );
  const range = useMemo(
    () => (info && trace && !isConstruct(trace) ? shownRange(info, trace) : undefined),
    [info, trace],
  );
  return <Sized>{(width) => range && <RangeFigure range={range} width={width} />}</Sized>;
}

export function ScaleView() {
  const config = useApp((app) => app.info?.config);
  const losses = useSettled((app) => app.losses, EVERY_MS);
  const story = useMemo(() => config && scaleStory(losses, config), [losses, config]);
  return <Sized>{(width) => story && <ScaleFigure story={story} width={width} />}</Sized>;
}
