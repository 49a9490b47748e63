/** Optimiser steps and clipping as Programs, on the CPU executor. */
import { createCpuExecutor } from '../runtime/cpu/cpu-executor';
import { PROGRAM_OPS } from './modes';
import { optimizerSuite } from './testing/optimizer-suite';

optimizerSuite((program) =>
  Promise.resolve(
    createCpuExecutor({ programs: [program], devices: program.lanes.map((lane) => lane.device), ops: PROGRAM_OPS }),
  ),
);
