/** The simulator, asking every queue after every instruction: slow, and sure to miss nothing. Tests compare the two. */
import { Simulation } from '../simulate';

export class PlainSimulation extends Simulation {
  protected override askAfter(): void {
    for (const device of this.queuesOf.keys()) this.ask(device);
  }
}
