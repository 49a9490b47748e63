/**
 * The schema of a report from any program: an object with `losses`. Everything else is optional, and unknown fields are
 * allowed. Lockstep's own reports and those of an exported train.py pass it. `lockstep schema --report` prints it;
 * read-report.ts checks with it. Every schema's message ends the sentence "must be ...".
 */
import * as v from 'valibot';
import { noList } from '../protocol/config/fields';

/** A number; null if it is not finite. */
const real = v.nullable(v.number('a number, or null if it is not finite'));
const numbers = v.array(real, 'a list of numbers');
const text = v.string('a text');
const size = v.pipe(v.number('a number'), v.minValue(0, 'at least 0'));
const count = v.pipe(size, v.integer('a whole number'));
const byName = <T extends v.GenericSchema>(value: T, words: string) => noList(v.record(v.string(), value, words));

const lossRecord = v.looseObject(
  {
    loss: real,
    step: v.optional(count),
    microBatch: v.optional(count),
    epoch: v.optional(v.number('a number')),
    perRank: v.optional(numbers),
  },
  'an object with `loss`',
);

const shape = v.array(count, 'a list of whole numbers');

const tensor = v.union(
  [
    v.looseObject({ shape, float32: text }, 'an object with shape and float32'),
    v.looseObject({ shape, values: numbers }, 'an object with shape and values'),
  ],
  '{"shape": [...], "float32": base64} or {"shape": [...], "values": [...]}, row-major',
);

const samples = byName(
  v.looseObject(
    { norm: v.optional(real), sample: numbers },
    'an object with `sample`, a list of numbers, and `norm`, the L2 norm',
  ),
  'an object with tensors by name',
);

export const reportSchema = v.looseObject(
  {
    losses: v.array(
      v.union([real, lossRecord], 'a number, null if it is not finite, or an object with `loss`'),
      'a list with the loss of every step',
    ),
    lockstep: v.optional(text),
    engine: v.optional(
      v.looseObject(
        { name: v.optional(text), version: v.optional(text), backend: v.optional(text), device: v.optional(text) },
        'an object with name, version, device',
      ),
    ),
    config: v.optional(byName(v.unknown(), 'an object with the settings')),
    steps: v.optional(count),
    weights: v.optional(byName(tensor, 'an object with tensors by name')),
    parametersSha256: v.optional(byName(text, 'an object with texts by name')),
    history: v.optional(
      v.array(
        v.looseObject(
          { step: count, parameters: v.optional(samples), gradients: v.optional(samples) },
          'an object with `step`, `parameters` and `gradients`',
        ),
        'a list of steps',
      ),
    ),
    bytes: v.optional(
      v.looseObject({ payloadPerStep: v.optional(byName(size, 'numbers by name')) }, 'an object with numbers'),
    ),
    memory: v.optional(
      v.array(
        v.looseObject({ peakBytes: v.optional(v.nullable(size)) }, 'an object with peakBytes'),
        'a list of devices',
      ),
    ),
    pipeline: v.optional(
      v.looseObject(
        {
          schedule: v.optional(text),
          bubble: v.optional(v.looseObject({ counted: v.optional(real) }, 'an object with numbers')),
          peakActivations: v.optional(v.looseObject({ counted: v.optional(numbers) }, 'an object with numbers')),
        },
        'an object with schedule, bubble and peakActivations',
      ),
    ),
    time: v.optional(v.looseObject({ measuredStepsPerSecond: v.optional(real) }, 'an object with numbers')),
  },
  'an object with `losses`',
);

export type ReportInput = v.InferOutput<typeof reportSchema>;
