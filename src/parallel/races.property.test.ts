/**
 * No Program has a race: if two instructions of a device use the same numbers, and one of them writes, then queues,
 * waits and messages order them. So every order that the queues allow computes the same bits, wherever the ranks run.
 * Tested for all modes except pipelines, whose schedules runtime/cpu/interleavings.property.test.ts draws.
 *
 * @module-tag rest: a race changes the bits of ranks in workers, which worlds.test.ts and equality.test.ts compare.
 */
import * as fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { happensBefore } from '../program/happens-before';
import type { Instruction, Program } from '../program/instruction';
import { readBuffers, writtenBuffers } from '../program/instruction-access';
import { verify } from '../program/verifier';
import { ALGORITHM_NAMES } from '../protocol/collective';
import { type ConfigInput, configSchema, type LayerConfig } from '../protocol/config';
import { fullStep } from '../protocol/step-kind';
import { PARALLEL_MODES, PROGRAM_OPS } from './modes';

interface Access {
  readonly buffer: string;
  readonly from: number;
  readonly to: number;
  readonly write: boolean;
}

function accesses(i: Instruction): readonly Access[] {
  const stretch = (buffer: string, write: boolean): Access => {
    if (i.kind === 'send' || i.kind === 'recv')
      return { buffer, from: i.slice.offset, to: i.slice.offset + i.slice.length, write };
    if (i.kind === 'compute' && i.op === 'ops/copy') {
      const from = Number(write ? i.attrs['to'] : i.attrs['from']);
      return { buffer, from, to: from + Number(i.attrs['length']), write };
    }
    return { buffer, from: 0, to: Number.POSITIVE_INFINITY, write };
  };
  return [...readBuffers(i).map((b) => stretch(b, false)), ...writtenBuffers(i).map((b) => stretch(b, true))];
}

const conflict = (a: Access, b: Access): boolean =>
  (a.write || b.write) && a.buffer === b.buffer && a.from < b.to && b.from < a.to;

/** Pairs of instructions of one device that touch the same numbers and that nothing orders. */
function races(program: Program): readonly string[] {
  const order = happensBefore(program);
  const found: string[] = [];
  for (const { device, instructions } of program.lanes) {
    const touched = instructions.map(accesses);
    instructions.forEach((i, m) => {
      instructions.slice(0, m).forEach((j, n) => {
        const shared = at(touched, m).find((a) => at(touched, n).some((b) => conflict(a, b)));
        if (shared && !order.before(i, j) && !order.before(j, i))
          found.push(`cuda:${device} ${shared.buffer}: ${j.kind} ${j.id} and ${i.kind} ${i.id}`);
      });
    });
  }
  return found;
}

const NORM = { eps: 1e-5, momentum: 0.1, affine: true } as const;

const configs = fc
  .record({
    mode: fc.constantFrom(
      'single' as const,
      'dataParallel' as const,
      'ddp' as const,
      'modelParallel' as const,
      'parameterServer' as const,
      'sharded' as const,
      'tensor' as const,
    ),
    hook: fc.constantFrom(
      'allreduce' as const,
      'fp16Compress' as const,
      'bf16Compress' as const,
      'powerSGD' as const,
      'localSGD' as const,
    ),
    staleness: fc.integer({ min: -1, max: 9 }),
    norm: fc.boolean(),
    widths: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 6 }),
    acts: fc.infiniteStream(fc.constantFrom('Tanh' as const, 'ReLU' as const, 'Softmax' as const, undefined)),
    world: fc.integer({ min: 1, max: 8 }),
    perRank: fc.integer({ min: 1, max: 4 }),
    capBytes: fc.integer({ min: 11, max: 2000 }),
    algorithm: fc.constantFrom(...ALGORITHM_NAMES),
    overlap: fc.boolean(),
    nodes: fc.integer({ min: 1, max: 3 }),
    adam: fc.boolean(),
    /** Of DDP's reducer: gradients that are their buckets, a module that forward does not call, ranks that run out. */
    views: fc.boolean(),
    unused: fc.constantFrom(undefined, 'findUnusedParameters' as const, 'staticGraph' as const),
    join: fc.boolean(),
  })
  .map(
    ({
      views,
      unused,
      join,
      mode,
      hook,
      staleness,
      norm,
      widths,
      acts,
      world,
      perRank,
      capBytes,
      algorithm,
      overlap,
      nodes,
      adam,
    }) => {
      const layers: LayerConfig[] = widths.slice(1).flatMap((out, i): LayerConfig[] => {
        const act = acts.next().value;
        const norms: LayerConfig[] =
          norm && i === 0 && mode === 'ddp' ? [{ type: 'BatchNorm1d', features: out, ...NORM }] : [];
        return [
          { type: 'Linear', in: at(widths, i), out, bias: out % 2 === 0 },
          ...norms,
          ...(act ? [{ type: act }] : []),
        ];
      });
      if (unused && mode === 'ddp')
        layers.splice(1, 0, { type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2, bias: true }] });
      const linear = widths.length - 1;
      const input: ConfigInput = {
        model: { layers },
        loss: { type: 'MSELoss' },
        optimizer: adam ? { type: 'Adam' } : { type: 'SGD', momentum: 0.9 },
        mode,
        worldSize: mode === 'modelParallel' ? Math.min(world, linear) : world,
        nodes: Math.min(nodes, world),
        batchSize: perRank * world,
        ddp: {
          bucketCapMb: capBytes / 2 ** 20,
          algorithm,
          overlap,
          commHook: { type: hook },
          syncBatchNorm: true,
          gradientAsBucketView: views && hook === 'allreduce' && (algorithm === 'ring' || algorithm === 'naive'),
          ...(unused ? { [unused]: true } : {}),
          join,
        },
        // -1: synchronous.
        parameterServer: { synchronous: staleness < 0, staleness: Math.max(0, staleness) },
      };
      return { config: v.parse(configSchema, input), inputs: at(widths, 0), outputs: at(widths, linear) };
    },
  );

test('instructions that use the same numbers are ordered, in all modes but pipelines, in every kind of step', () => {
  void fc.assert(
    fc.property(configs, ({ config, inputs, outputs }) => {
      const mode = PARALLEL_MODES[config.mode];
      const { compiler, steps } = mode.facets(config);
      const input = {
        config,
        ops: PROGRAM_OPS,
        inputShape: [inputs],
        inputType: 'f32' as const,
        targetShape: [outputs],
        targetType: 'f32' as const,
      };
      const { dataIndices: processes } = mode.mesh(config);
      // Batch norm wants two rows where it is alone.
      const rows = Array.from({ length: processes }, () => 1 + Math.floor(config.batchSize / processes));
      const construct = compiler.construct?.(input);
      const programs = [
        ...(steps.phases?.(config)?.names ?? ['usual' as const]).map((hookPhase) =>
          compiler.compile(input, { ...fullStep(rows), hookPhase }),
        ),
        ...(steps.accumulation
          ? [
              compiler.compile(input, {
                ...fullStep(rows, { beforeRebuild: true }),
                hookPhase: steps.phases?.(config)?.at(0) ?? 'usual',
              }),
            ]
          : []),
        ...(construct ? [construct] : []),
        // The last step within join(), which some ranks have left; one with SyncBatchNorm would not be there.
        ...(config.mode === 'ddp' && config.ddp.join && !config.model.layers.some(({ type }) => type === 'BatchNorm1d')
          ? [
              compiler.compile(
                input,
                fullStep(
                  rows.map((own, rank) => (rank % 3 === 1 ? 0 : own)),
                  { endsJoin: true },
                ),
              ),
            ]
          : []),
      ];
      for (const program of programs) {
        verify(program, PROGRAM_OPS);
        expect(races(program)).toEqual([]);
      }
    }),
    { numRuns: 150 },
  );
});
