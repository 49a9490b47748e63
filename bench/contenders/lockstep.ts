/** Lockstep itself, through the session room, as the page uses it. */
import { benchSession } from '../../src/session/bench';
import type { CreateTrainer, Weights } from '../contender';
import { lockstepRun, type Workload } from '../workload';

/** The start that torch.manual_seed(0) and nn.Linear give; every contender begins from it. */
export async function initialWeights(work: Workload): Promise<Weights> {
  const { config, files } = lockstepRun(work, 'single', 1);
  const session = await benchSession(config, files);
  const weights = await session.parameters();
  session.dispose();
  return weights;
}

const create =
  (mode: 'single' | 'ddp', worldSize: number): CreateTrainer =>
  async (work) => {
    const { config, files } = lockstepRun(work, mode, worldSize);
    return benchSession(config, files);
  };

export const createSingle = create('single', 1);
export const createDdp4 = create('ddp', 4);
