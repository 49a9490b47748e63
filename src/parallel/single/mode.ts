/** Single: one process, one device; the reference that every other mode is compared with. */

import { Part } from '../../base/part';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { replicated, shardMap } from '../../sharding/shard-map';
import { everyLayer } from '../axes/sized-mesh';
import { closedForm } from '../closed-form';
import { type ModeFacets, ONE_PROCESS } from '../facets/mode-facets';
import { type ParallelMode, SCRIPT } from '../mode';
import { compileSingle } from './compile';
import { single as face } from './face';

const facets: ModeFacets = {
  ...ONE_PROCESS,
  place: {
    ...everyLayer(() => initDeviceMesh()),
    shards: (_config, tensors) => shardMap(tensors, ({ shape }) => replicated(shape, [0])),
  },
  compiler: { compile: compileSingle },
  facts: { closedForm: () => closedForm([0], '0: one device sends nothing') },
};

export const single: ParallelMode = {
  face,
  mesh: () => initDeviceMesh(),
  listing: new Part(SCRIPT, async () => (await import('./listing')).singleListing),
  facets: () => facets,
};
