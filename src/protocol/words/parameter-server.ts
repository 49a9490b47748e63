/** Words of the parameter server's settings. Apart from the others, since its face is loaded with the session, too. */
import type { Config } from '../config';
import { type NameIn, settings } from './setting';

export const PARAMETER_SERVER = settings<NameIn<Config['parameterServer']>>('parameterServer', {
  synchronous: [
    'Synchronous',
    "A step waits for the gradients of all workers; off: the workers' gradients are applied one after the other.",
  ],
  staleness: [
    'Staleness',
    "Asynchronous: updates that a worker's parameters are behind the server's when its gradient is applied.",
  ],
});
