/** The schedule of a pipeline's run, in units of time: the playground's picture of it, without the other clocks. */
import { ScheduleView } from '../../../app/pipeline/schedule-view';
import { useRunSchedule } from '../../../app/pipeline/use-run-schedule';

export function ScheduleFigure() {
  const run = useRunSchedule();
  return run && <ScheduleView run={run} units onUnits={stayInUnits} />;
}

const stayInUnits = (): void => undefined;
