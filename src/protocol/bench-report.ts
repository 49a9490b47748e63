/** The report of `lockstep bench`, which --against reads again. `lockstep schema --bench` prints its JSON Schema. */
import * as v from 'valibot';

const text = v.pipe(v.string(), v.maxLength(1000));
const positive = v.pipe(v.number(), v.finite(), v.minValue(0));

const workloadSchema = v.object({
  id: text,
  title: text,
  unit: v.literal('steps/s'),
  /** Median over the rounds. */
  median: positive,
  slowest: positive,
  fastest: positive,
  rounds: v.pipe(v.array(positive), v.minLength(1), v.maxLength(1000)),
});

export const benchReportSchema = v.object({
  kind: v.literal('lockstep bench'),
  version: v.literal(1),
  date: text,
  machine: v.object({ system: text, processor: text, cores: positive, runtime: text }),
  device: v.object({ kind: v.picklist(['webgpu', 'cpu']), adapter: text }),
  /** Whether the run trained in the page while the page drew. */
  page: v.optional(v.boolean(), false),
  threads: positive,
  /** Absent in reports that are older than the setting. */
  fusedMultiplyAdd: v.optional(v.boolean(), false),
  rounds: positive,
  milliseconds: positive,
  workloads: v.pipe(v.array(workloadSchema), v.maxLength(1000)),
});

export type BenchReport = v.InferOutput<typeof benchReportSchema>;
export type BenchWorkload = v.InferOutput<typeof workloadSchema>;
