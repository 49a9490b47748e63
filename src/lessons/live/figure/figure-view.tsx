/** A live figure: its toolbar, its notices and its views. */

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
  // Screen readers read a figure aloud only once the reader has pressed something, not when scrolling starts it.
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
