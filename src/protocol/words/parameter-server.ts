/** Words of the parameter server's settings. Apart from the others, since its face is loaded with the session, too. */
import type { Config } from '../config';
import { type NameIn, settings } from './setting';

export const PARAMETER_SERVER = settings<NameIn<Config['parameterServer']>>('parameterServer', {
  synchronous: [
    'Synchronous',
    'On: a step waits for the gradients of all workers. Off: the server applies the gradients of each worker as they come.',
  ],
  staleness: [
    'Staleness',
    'Asynchronous only: how many updates the parameters of a worker are behind the server when its gradient is applied.',
  ],
});
