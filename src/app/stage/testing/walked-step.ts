/** The scenes of a step that really ran, for tests of the stage. */
import type { ConfigInput } from '../../../protocol/config';
import type { SessionInfo } from '../../../protocol/session-info';
import { openTestSession } from '../../../session/testing/open-session';
import type { MomentTrace } from '../../../trace/moments/moment';
import { byMoments } from '../../../trace/moments/moments';
import { createTraceFacts } from '../facts-at';
import { planStage, stageScene } from '../scene';
import type { StageScene } from '../scene-types';

export const SIZE = { width: 1100, height: 600 };

export async function tracedStep(
  config: ConfigInput,
): Promise<{ readonly info: SessionInfo; readonly trace: MomentTrace }> {
  const session = await openTestSession({ ...config, device: 'cpu', compareSingle: false });
  await session.api.traceStep();
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  return { info: session.info, trace };
}

/**
 * The scenes while a cursor walks the step in halves of an event: at each event, or at every n-th event and the last.
 */
export function* walk(
  info: SessionInfo,
  trace: MomentTrace,
  every = 1,
): Generator<{ readonly event: number; readonly fraction: number; readonly scene: StageScene }> {
  const facts = createTraceFacts(info, trace);
  const plan = planStage(info, trace, facts.packets, SIZE);
  for (let event = 0; event < trace.events.length; event++) {
    if (event % every !== 0 && event !== trace.events.length - 1) continue;
    for (const fraction of [0.5, 1]) {
      yield { event, fraction, scene: stageScene(plan, facts.at({ event, fraction }, 'modelled')) };
    }
  }
}
