/**
 * A mode for tests, as small as a mode can be: cuda:0 trains, and every gradient goes to cuda:1 and comes back before
 * the step. So its weights are those of one device, and all that anybody learns about it is in this folder.
 */
import { Part } from '../../../base/part';
import type { Dialect } from '../../../interop/pytorch/dialect';
import { modelCode } from '../../../interop/pytorch/model';
import { LISTING, loader } from '../../../interop/pytorch/script';
import { initDeviceMesh } from '../../../mesh/device-mesh';
import { ProgramBuilder } from '../../../program/builder';
import type { Where } from '../../../program/lane-builder';
import type { Config } from '../../../protocol/config';
import { stepsAfter } from '../../../protocol/step-kind';
import { ownedBy, shardMap } from '../../../sharding/shard-map';
import { closedForm } from '../../closed-form';
import { emitOptimizer } from '../../emit-optimizer';
import type { ModeCompiler } from '../../facets/mode-compiler';
import { ONE_PROCESS } from '../../facets/mode-facets';
import type { ModeFacts } from '../../facets/mode-facts';
import type { ModePlacement } from '../../facets/mode-placement';
import { type ParallelMode, SCRIPT } from '../../mode';
import { emitWholeBatch } from '../../step/step';
import { echo as face } from './face';

const THERE: Where = { phase: 'reduce', anchor: 'push', queue: 'comm' };

const mesh = ({ nodes }: Config) => initDeviceMesh({}, { devicesPerRank: 2, nodes });

const place: ModePlacement = {
  layersOfDevice: ({ model }) => [[...model.layers.keys()], []],
  shards: (_config, tensors) => shardMap(tensors, ({ shape }) => ownedBy(shape, 0)),
  rowsOfDevice: (_config, [rows = 0]) => [
    [0, rows],
    [0, 0],
  ],
};

const compiler: ModeCompiler = {
  compile(input, kind) {
    const builder = new ProgramBuilder(mesh(input.config), input.ops);
    const [caller, wall] = [builder.lane(0), builder.lane(1)];
    for (const m of kind.microBatches.keys()) {
      builder.startMicroBatch(m);
      const parameters = emitWholeBatch(builder, input, kind, m);
      caller.handOver('compute', 'comm', THERE);
      for (const { name, gradient } of parameters) {
        const { shape } = caller.spec(name);
        if (!wall.has(gradient))
          wall.buffer({ name: gradient, shape, dtype: 'f32', category: 'communication', persistent: true });
        const [here, there] = [
          { device: 0, slice: caller.whole(gradient), where: THERE },
          { device: 1, slice: wall.whole(gradient), where: THERE },
        ];
        builder.transfer(here, there, { name: `${gradient}.there`, payload: 'gradient' });
        builder.transfer(there, here, { name: `${gradient}.back`, payload: 'gradient' });
      }
      caller.handOver('comm', 'compute', { phase: 'step', anchor: 'step' });
      if (stepsAfter(kind, m)) emitOptimizer(caller, input, parameters);
    }
    return builder.finish(face.name, kind);
  },
};

const facts: ModeFacts = {
  closedForm: ({ transfers: { gradientBytes } }) =>
    closedForm([gradientBytes, gradientBytes], `each device sends G; G = ${gradientBytes} B`),
};

export const echo: ParallelMode = {
  face,
  mesh,
  facets: () => ({ ...ONE_PROCESS, place, compiler, facts }),
  listing: new Part(
    SCRIPT,
    async () =>
      (config: Config, dialect: Dialect = LISTING) =>
        dialect.assemble(config, {
          about: 'with gradients that go to cuda:1 and come back',
          notes: ['# every gradient goes to cuda:1 and comes back'],
          model: modelCode(config.model.layers, 'device', config.checkpointSegments),
          loaders: loader(config, dialect, dialect.pinned),
          loop: {
            inputs: 'device',
            targets: 'device',
            inBackward: [{ text: '#   there and back', anchor: 'push' }],
            log: dialect.loss('loss', false),
          },
        }),
  ),
};
