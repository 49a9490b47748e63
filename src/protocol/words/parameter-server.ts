/**
 * Words of the parameter server's settings. Separate from the others, because the mode's face, which uses them, is
 * loaded with the session, too.
 */
import type { Config } from '../config';
import { type NameIn, settings } from './setting';

export const PARAMETER_SERVER = settings<NameIn<Config['parameterServer']>>('parameterServer', {
  synchronous: [
    'Synchronous',
    'On: a step waits for the gradients of all workers. Off: the server applies the gradients of each worker as they arrive.',
  ],
  staleness: [
    'Staleness',
    'Asynchronous only: how many updates the parameters of a worker are behind the server when its gradient is applied.',
  ],
});
