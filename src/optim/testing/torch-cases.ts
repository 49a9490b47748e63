/**
 * The optimiser cases of torch 1.13.1 in terms of the configuration; NAdam's are of 2.13, since torch 2 corrected it.
 * For the parity tests of this room and of the GPU.
 */
import * as v from 'valibot';
import { type OptimizerConfig, optimizerSchema } from '../../protocol/config';
import { paramGroupSchema } from '../../protocol/config/optimizer';
import { decodeF32, type StoredTensor } from '../../tensor/fixtures/decode';
import fixtures from '../fixtures/optim.json';
import grouped from '../fixtures/param-groups.json';
import later from '../fixtures/torch2-optim.json';
import type { OptimizerSettings } from '../param-groups';

export interface OptimizerCase {
  readonly name: string;
  /** Two parameters, named 'a' and 'b'. */
  readonly config: OptimizerSettings;
  /** Both parameters after the steps that are stored. */
  readonly after: ReadonlyMap<number, readonly Float32Array[]>;
  /** NAdam: what torch 1.13 came to. */
  readonly before?: ReadonlyMap<number, readonly Float32Array[]>;
  /** Of each parameter, by torch's name; null where it is a number. */
  readonly finalState: readonly ReadonlyMap<string, Float32Array | null>[];
}

type Keywords = Readonly<Record<string, number | boolean | readonly number[]>>;

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function settingsOf({ betas, ...rest }: Keywords): Readonly<Record<string, unknown>> {
  const [beta1, beta2] = Array.isArray(betas) ? (betas as readonly number[]) : [];
  const named = Object.entries(rest).map(([name, value]) => [camel(name), value]);
  return { ...Object.fromEntries(named), ...(beta1 === undefined ? {} : { beta1, beta2 }) };
}

export const optimizerConfig = (type: string, keywords: Keywords): OptimizerConfig =>
  v.parse(optimizerSchema, { type, ...settingsOf(keywords) });

const isTensor = (value: unknown): value is StoredTensor => typeof value === 'object' && value !== null;

export const INITIAL = (): Float32Array<ArrayBuffer>[] => fixtures.init_params.map(decodeF32);
/** Gradients of both parameters, a step each. */
export const GRADIENTS: readonly (readonly Float32Array<ArrayBuffer>[])[] = fixtures.grads.map((g) => g.map(decodeF32));

const bySteps = (stored: unknown): ReadonlyMap<number, readonly Float32Array[]> =>
  new Map(
    Object.entries(stored as Readonly<Record<string, readonly StoredTensor[]>>).map(([step, tensors]) => [
      Number(step),
      tensors.map(decodeF32),
    ]),
  );

interface RecordedOptimizer {
  readonly optimizer: string;
  readonly kw: object;
  readonly param_groups?: readonly object[] | null;
  readonly params_after: object;
  readonly final_state: readonly object[];
  readonly before?: { readonly params_after: object } | null;
}

/** The second file has the arguments that came after torch 1.13 (scripts/torch2-references.py). */
const RECORDED: readonly RecordedOptimizer[] = [...fixtures.optimizers, ...later];

export const OPTIMIZER_CASES: readonly OptimizerCase[] = RECORDED.map((c) => {
  const keywords = c.kw as unknown as Keywords;
  const groups = (c.param_groups ?? []) as readonly Keywords[];
  const config: OptimizerSettings = {
    optimizer: optimizerConfig(c.optimizer, keywords),
    scheduler: undefined,
    paramGroups: groups.map((group, i) => ({ match: i === 0 ? 'a' : 'b', ...settingsOf(group) })),
  };
  const before = c.before?.params_after;
  const states = c.final_state as unknown as readonly Readonly<Record<string, unknown>>[];
  return {
    name: `${c.optimizer} ${JSON.stringify(c.kw)}${c.param_groups ? ` ${JSON.stringify(c.param_groups)}` : ''}`,
    config,
    after: bySteps(c.params_after),
    ...(before ? { before: bySteps(before) } : {}),
    finalState: states.map(
      (state) =>
        new Map(Object.entries(state).map(([name, value]) => [name, isTensor(value) ? decodeF32(value) : null])),
    ),
  };
});

/**
 * Groups with settings of their own beside the rate, a parameter of 5 elements each: 'g0' has the optimizer's, 'g1'
 * those of paramGroups.0 ...
 */
export const GROUP_CASES = grouped.cases.map(({ kind, defaults, groups, start, grads, after }) => {
  const byName = (tensors: readonly (readonly number[])[]): Readonly<Record<string, Float32Array<ArrayBuffer>>> =>
    Object.fromEntries(tensors.map((values, g) => [`g${g}`, Float32Array.from(values)]));
  return {
    name: `${kind} ${JSON.stringify(groups)}`,
    config: {
      optimizer: optimizerConfig(kind, defaults as unknown as Keywords),
      scheduler: undefined,
      paramGroups: groups.slice(1).map((own, i) =>
        // As a configuration has it.
        v.parse(paramGroupSchema, { match: `g${i + 1}`, ...settingsOf(own as unknown as Keywords) }),
      ),
    } satisfies OptimizerSettings,
    start: byName(start),
    grads: grads.map(byName),
    after: after.map(byName),
  };
});

/** Torch's bars: 1e-6 at step 1, 1e-5 at step 20. */
export const barAt = (step: number): number => (step === 1 ? 1e-6 : 1e-5);

export function maxDistance(actual: Float32Array | undefined, expected: Float32Array | undefined): number {
  if (actual?.length === undefined || actual.length !== expected?.length) return Number.POSITIVE_INFINITY;
  return actual.reduce((most, value, i) => {
    const distance = Math.abs(value - (expected[i] ?? Number.NaN));
    return distance <= most ? most : distance;
  }, 0);
}
