/** Pipeline parallelism: the axis pp (axes/stages), beside which a mesh may have data axes and tp. */
import { Part } from '../../base/part';
import { spmd } from '../axes/spmd';
import { SCRIPT } from '../mode';
import { pipeline as face } from './face';

export const pipeline = spmd({
  face,
  listing: new Part(SCRIPT, async () => (await import('./listing')).pipelineListing),
});
