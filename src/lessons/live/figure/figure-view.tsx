/** A live figure: its toolbar, what has to be said, and what it shows. */

import { Notices } from '../../../app/notices/notices';
import { LiveRegion } from '../../../app/stage/live-region';
import type { Heights } from './heights';
import { LabView } from './lab-view';
import { isLab } from './settings';
import { Toolbar } from './toolbar';
import { useFigure, useFigureState } from './use-figure';
import { RunViews } from './views';

export function FigureView({ heights }: { readonly heights: Heights }) {
  const { id, spec } = useFigure();
  // What runs by itself as the page is scrolled is not read aloud; what the reader does is.
  const pressed = useFigureState((state) => state.pressed.length > 0);
  return (
    <>
      <Toolbar />
      <Notices label={`Notices, figure ${id}`} inLesson />
      {isLab(spec) ? <LabView /> : <RunViews heights={heights} />}
      {pressed && !isLab(spec) && <LiveRegion />}
    </>
  );
}
