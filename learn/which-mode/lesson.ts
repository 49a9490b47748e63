/** Which mode: one GPU, DDP, FSDP, tensor parallelism or a pipeline, by four questions in the order of their cost. */
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

/** Eight layers, so that each of four stages has a pair of layers. */
const NET = 'data=regression&in=16&out=16&layers=16-32-16-32-16-32-16-32-16&loss=mse&opt=adam&samples=512&test=0&at=2';
/** Wide layers and many rows: the GPUs compute for longer than a message needs to start. */
const WIDE =
  'data=regression&in=64&out=64&layers=64-256-64-256-64&loss=mse&opt=adam&batch=4096&samples=4096&test=0&hardware=nvlink8&at=1';
const MODES = ['ddp', 'sharded', 'tensor', 'pipeline'];
const MODES_IN_WORDS = ['DDP', 'FSDP', 'tensor', 'pipeline'];

/** Half of the memory that the figure `alone` uses as it begins: claims.test.ts compares. */
const HALF_BYTES = 336_640 / 2;
/** Rows of the largest micro-batch that uses less. */
const LARGEST_ROWS = 64;
/** DDP's floor on a rank in the figure `links`, and more than a step of FSDP takes there: claims.test.ts compares. */
const WIDE_FLOOR = 1_059_584;
const SOON_US = 450;

export const lesson = defineLesson({
  card: { figure: 'clock', view: 'timeline' },
  figures: {
    alone: {
      run: `mode=single&batch=256&accumulate=1&hardware=transputer&${NET}`,
      show: ['memory'],
      controls: [
        { key: 'accumulate', label: 'Micro-batches per step', values: ['1', '2', '4', '8'] },
        { key: 'batch', label: 'Rows per step', values: ['64', '128', '256'] },
      ],
      caption: 'The memory that one device reserves, by kind.',
      numbers: ['effectiveBatch', 'rowsPerRank', 'allocated', 'heldMemory', 'activationMemory:0'],
      starts: 'rest',
    },
    clock: {
      run: `mode=ddp&world=4&microBatches=8&batch=256&hardware=transputer&${NET}`,
      show: ['timeline'],
      controls: [
        {
          key: 'mode',
          label: 'Mode',
          values: ['ddp', 'dp', 'mp'],
          words: ['DDP', 'DataParallel', 'model parallelism'],
        },
      ],
      caption:
        'One step of four devices, with the same rows in every mode. In the empty parts of its line a device waits.',
      numbers: ['stepTime', 'idle', 'computing:0', 'computing:1', 'bytesInAll'],
      starts: 'rest',
    },
    divide: {
      run: `mode=sharded&world=4&microBatches=8&batch=256&hardware=transputer&${NET}`,
      show: ['memory'],
      controls: [
        { key: 'mode', label: 'Mode', values: MODES, words: MODES_IN_WORDS },
        { key: 'batch', label: 'Batch', values: ['32', '128', '256'] },
      ],
      caption: 'The memory that each of four ranks reserves, by kind.',
      numbers: ['heldMemory:0', 'allocated:0', 'parameterMemory:0', 'optimizerMemory:0', 'activationMemory:0'],
      starts: 'rest',
    },
    links: {
      run: `mode=ddp&world=4&nodes=1&${WIDE}`,
      show: ['timeline'],
      controls: [
        { key: 'mode', label: 'Mode', values: ['ddp', 'sharded', 'tensor'], words: ['DDP', 'FSDP', 'tensor'] },
        { key: 'nodes', label: 'Nodes', values: ['1', '2', '4'] },
      ],
      caption: 'One step of four A100s. GPUs of one node are connected by NVLink, nodes by a slower network.',
      numbers: ['nodes', 'heldMemory:0', 'bytesInAll', 'bytesBetweenNodes', 'stepTime', 'exposedTime'],
      starts: 'rest',
    },
  },
  predictions: {
    small: {
      question:
        'The device computes the 256 rows as eight micro-batches of 32 rows and adds up their gradients. How much memory does it use at most?',
      answer: { figure: 'alone', of: 'allocated', with: { accumulate: '8' } },
      guess: { kind: 'number', from: 0, to: 400_000, step: 4000 },
      why: 'It uses {allocated}. Of this, {heldMemory} are weights, gradients and states. Only the activations got smaller: the device keeps those of one micro-batch at a time.',
    },
    wait: {
      question:
        'Model parallelism gives each of four devices a quarter of the layers. For which share of a step is a device idle?',
      answer: { figure: 'clock', of: 'idle', with: { mode: 'mp' } },
      guess: { kind: 'number', from: 0, to: 1, step: 0.01 },
      why: 'A device is idle for {idle} of the step. Each layer needs the output of the layer before, so one device computes and three wait.',
    },
    floor: {
      question: 'With DDP each of four ranks holds 74,496 B between two steps. How much does a rank hold with FSDP?',
      answer: { figure: 'divide', of: 'heldMemory:0', with: { mode: 'sharded' } },
      guess: { kind: 'number', from: 0, to: 80_000, step: 1000 },
      why: 'It holds {heldMemory:0}: a quarter, and some more, because the shard of even a small bias takes a whole block of memory.',
    },
  },
  tasks: {
    half: {
      figure: 'alone',
      text: 'Keep 256 rows per step, and use less than half of the memory that the figure used at first. Make the micro-batches as large as this allows.',
      hint: 'Smaller micro-batches keep fewer activations. Larger ones keep the device busier.',
      done: (facts) =>
        measure(facts, 'effectiveBatch') === 256 &&
        measure(facts, 'rowsPerRank') === LARGEST_ROWS &&
        (measure(facts, 'allocated') ?? Number.NaN) < HALF_BYTES,
      solution: [{ set: { accumulate: '4' } }],
    },
    across: {
      figure: 'links',
      text: 'Put the ranks on two nodes. Let each rank hold less than half of the floor, and let a step take less than 450 µs.',
      hint: 'DDP holds the whole floor. In which of the other modes do the ranks wait less for messages?',
      done: (facts) =>
        measure(facts, 'nodes') === 2 &&
        (measure(facts, 'heldMemory:0') ?? Number.NaN) < WIDE_FLOOR / 2 &&
        (measure(facts, 'stepTime') ?? Number.NaN) < SOON_US,
      solution: [{ set: { nodes: '2' } }, { set: { mode: 'sharded' } }],
    },
  },
  plots: {
    apart: {
      figure: 'links',
      of: 'stepTime',
      over: 'nodes',
      label: 'nodes for the same four ranks',
      values: ['1', '2', '4'],
      beside: [
        { label: 'DDP', with: { mode: 'ddp' } },
        { label: 'FSDP', with: { mode: 'sharded' } },
        { label: 'tensor', with: { mode: 'tensor' } },
      ],
    },
  },
});
