/**
 * The playground's editor, for the schedule of a pipeline's run. The editor begins with the schedule that the figure's
 * link, Reset or a solution chooses. When the reader runs a schedule, the figure trains one step with it at once.
 */
import { useEffect, useRef } from 'react';
import { draftOf } from '../../../app/pipeline/draft';
import { DRAFT } from '../../../app/pipeline/draft-slice';
import { Editor } from '../../../app/pipeline/editor';
import { runSchedule, useRunSchedule } from '../../../app/pipeline/use-run-schedule';
import { writeSlice } from '../../../app/state/store-slice';
import { useApp, useAppStore } from '../../../app/state/use-app';
import { useFigure, useFigureState } from './use-figure';

export function EditorFigure() {
  const figure = useFigure();
  const store = useAppStore();
  const run = useRunSchedule();
  const led = useFigureState(({ there, leading }) => there && !leading);
  const isReady = useApp(({ state }) => state === 'paused');
  const actions = run?.config.pipeline.actions;
  /** The schedule that a link, Reset or a solution chose last, or that the figure has trained. */
  const begun = useRef<string>(undefined);

  useEffect(() => {
    const { info } = store.getState();
    if (!led || !info) return;
    begun.current = info.config.pipeline.actions;
    writeSlice(store, DRAFT, draftOf(runSchedule(info.config).schedule));
  }, [led, store]);
  useEffect(() => {
    if (!led || !isReady || actions === undefined || actions === begun.current) return;
    begun.current = actions;
    void figure.press('iteration');
  }, [led, isReady, actions, figure]);

  return run && <Editor run={run} />;
}
