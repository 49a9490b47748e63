/** Causes that show at the first step: other initial weights, other rows, other masks, another precision. */
import { lookup } from '../../base/lookup';
import type { AnyReport, Sample } from '../any-report';
import type { CauseRow } from './cause';
import { type Evidence, firstStep, relativeDistance, settingWords, vectors } from './evidence';

/** Two independent draws of initial weights are 1.4 times their length apart; a step changes far less. */
const OTHER = 0.5;

const constant = ({ values }: Sample): boolean => values.every((x) => x === values[0]);

/** The median over randomly initialised tensors; BatchNorm's start as ones and zeros under any seed. */
function median(pairs: readonly (readonly [Sample, Sample])[]): number | undefined {
  const drawn = pairs.filter(
    ([x, y]) => x.values.length > 1 && x.values.length === y.values.length && !(constant(x) && constant(y)),
  );
  const sorted = drawn.map(([x, y]) => relativeDistance(x, y)).sort((x, y) => x - y);
  return sorted[Math.floor(sorted.length / 2)];
}

/** The distance of the weights after the first step, or of the final weights; undefined if the reports have neither. */
function weightsApart(evidence: Evidence): { apart: number; when: string } | undefined {
  const pair = firstStep(evidence);
  const shared = (a: ReadonlyMap<string, Sample>, b: ReadonlyMap<string, Sample>) =>
    [...a].flatMap(([name, one]): (readonly [Sample, Sample])[] => {
      const two = b.get(name);
      return two ? [[one, two]] : [];
    });
  const ofStep = pair && median(shared(pair.a.parameters, pair.b.parameters));
  if (ofStep !== undefined) return { apart: ofStep, when: 'after the first step' };
  const final = ({ weights }: AnyReport): ReadonlyMap<string, Sample> =>
    new Map(
      [...(weights ?? [])].map(([name, { values }]) => [
        name,
        { norm: Number.NaN, values: [...values.subarray(0, 1000)] },
      ]),
    );
  const ofEnd = median(shared(final(evidence.a), final(evidence.b)));
  return ofEnd === undefined ? undefined : { apart: ofEnd, when: 'at the end' };
}

/** Whether nothing of the first step agrees, not even the loss. */
const partsAtFirst = ({ parting, losses }: Evidence): boolean =>
  parting?.stage === 'losses' && parting.step === losses.pairs[0]?.step;

const percent = (part: number): string => `${Math.round(100 * part)} %`;

/** The parameters' shapes: from final weights, or from the sampled sizes of the first step. */
function shapesOf(report: AnyReport): ReadonlyMap<string, string> | undefined {
  if (report.weights) return new Map([...report.weights].map(([name, { shape }]) => [name, `[${shape.join(', ')}]`]));
  const [first] = report.history ?? [];
  return first && new Map([...first.parameters].map(([name, { values }]) => [name, `${values.length} samples`]));
}

export const model: CauseRow = {
  id: 'model',
  from: 'numbers',
  says: 'The models are different.',
  test(evidence) {
    const { a, b } = evidence;
    const [ofA, ofB] = [a, b].map(shapesOf);
    if (!partsAtFirst(evidence) || !ofA || !ofB || (a.weights === undefined) !== (b.weights === undefined))
      return undefined;
    const names = [...new Set([...ofA.keys(), ...ofB.keys()])].filter((name) => ofA.get(name) !== ofB.get(name));
    if (names.length === 0) return undefined;
    const words = names
      .slice(0, 3)
      .map((name) => `${name} is ${ofA.get(name) ?? 'not there'} in A and ${ofB.get(name) ?? 'not there'} in B`);
    const more = names.length > 3 ? `; and ${names.length - 3} more` : '';
    return `${words.join('; ')}${more}.`;
  },
};

/** Reports without weights and gradients show only different losses; their configurations may explain them. */
export const task: CauseRow = {
  id: 'task',
  from: 'settings',
  says: 'The runs train different models, use different data, or use different losses.',
  test(evidence) {
    if (!partsAtFirst(evidence) || weightsApart(evidence) !== undefined) return undefined;
    return settingWords(evidence, ['model', 'data', 'loss']).trim() || undefined;
  },
};

export const seed: CauseRow = {
  id: 'seed',
  from: 'numbers',
  says: 'The runs begin with different weights: another seed, another order of draws from the generator, or another initialisation.',
  test(evidence) {
    if (!partsAtFirst(evidence)) return undefined;
    const found = weightsApart(evidence);
    if (found === undefined || found.apart < OTHER) return undefined;
    return `The first loss differs already, and the weights ${found.when} differ by ${percent(found.apart)} of their norm.${settingWords(evidence, ['seed', 'model', 'weights', 'data.seed'])}`;
  },
};

/** If the first batch gives another loss with the same weights, the distance of its gradients. */
function otherFirstPass(evidence: Evidence): number | undefined {
  if (!partsAtFirst(evidence)) return undefined;
  const found = weightsApart(evidence);
  if (found === undefined || found.apart >= OTHER) return undefined;
  const pair = firstStep(evidence);
  if (!pair) return Number.NaN;
  const [a, b] = vectors(pair, 'gradients', evidence.history.rounding);
  return relativeDistance({ values: a }, { values: b });
}

/** Precision changes gradients slightly; other rows change them completely. */
const PRECISION = { loss: 1e-2, gradient: 0.1 };

function isPrecision(evidence: Evidence): boolean {
  const gradient = otherFirstPass(evidence);
  const loss = evidence.losses.parts?.relative ?? 1;
  return gradient !== undefined && gradient < PRECISION.gradient && loss < PRECISION.loss;
}

export const precision: CauseRow = {
  id: 'precision',
  from: 'numbers',
  says: 'One side computes with less precision than float32: autocast, TF32 (torch.backends.cuda.matmul.allow_tf32), bfloat16 or float16.',
  test(evidence) {
    if (!isPrecision(evidence)) return undefined;
    const gradient = otherFirstPass(evidence) ?? 0;
    return `With the same weights the first loss differs by ${percentFine(evidence.losses.parts?.relative ?? 0)} and the gradients by ${percentFine(gradient)}: this is too much for rounding in float32 and too little for other rows.`;
  },
};

const percentFine = (part: number): string => `${Number((100 * part).toPrecision(2))} %`;

export const dropout: CauseRow = {
  id: 'dropout',
  from: 'settings',
  says: "Dropout draws other masks: CUDA's generator gives other numbers than the CPU's, each rank may have its own seed, or the draws are in another order.",
  test(evidence) {
    if (otherFirstPass(evidence) === undefined || isPrecision(evidence)) return undefined;
    const withDropout = [evidence.a, evidence.b].filter(hasDropout).map(({ name }) => name);
    if (withDropout.length === 0) return undefined;
    return `The runs begin with the same weights, the first loss differs, and the model has Dropout (configuration of ${withDropout.join(' and ')}).${settingWords(evidence, ['ddp.rankSeeds', 'device'])}`;
  },
};

/** Whether the model draws masks: it draws none with the probability 0. */
const hasDropout = ({ config }: AnyReport): boolean =>
  /"type":"Dropout[^"]*"(?!,"p":0[,}])|"dropout":0?\.\d*[1-9]|"dropoutP?":0\.\d*[1-9]/.test(
    JSON.stringify(lookup(config ?? {}, 'model') ?? null),
  );

export const otherRows: CauseRow = {
  id: 'rows',
  from: 'numbers',
  says: 'The first batch has other rows: another order (shuffle, the seed of the sampler), another batch size, other data; or other masks, if the model has Dropout.',
  test(evidence) {
    const gradient = otherFirstPass(evidence);
    if (gradient === undefined || isPrecision(evidence)) return undefined;
    const also = Number.isNaN(gradient) ? '' : `, and the gradients differ by ${percent(gradient)} of their norm`;
    return `The runs begin with the same weights, and the first loss differs${also}.${settingWords(evidence, ['shuffle', 'ddp.samplerSeed', 'batchSize', 'data', 'dropLast', 'ddp.rankSeeds'])}`;
  },
};
