/**
 * What stands in each room, as far as it does not change while a trace is walked: titles, the layers whose parameters the device holds, the
 * buckets and their chunks as the trace's own transfers cut them. Pure; called by the scene once per trace.
 */
import type { SessionInfo } from '../../protocol/session';
import type { DeviceIndex, Slice, StepTrace } from '../../protocol/trace';

export interface ParameterPlace {
  readonly name: string;
  readonly shape: readonly number[];
  /** The buffer of its gradient; undefined where the device has none. */
  readonly gradient: string | undefined;
}

export interface LayerPlace {
  /** As in state_dict: '0', '2'. */
  readonly module: string;
  readonly labels: readonly string[];
  readonly weight: ParameterPlace;
  readonly bias: ParameterPlace | undefined;
}

/** The batch, or the output of a layer, a row a sample. */
export interface ActivationPlace {
  readonly buffer: string;
  readonly shape: readonly number[];
  readonly labels: readonly string[];
}

export interface BucketPlace {
  readonly index: number;
  readonly buffer: string;
  readonly length: number;
  readonly chunks: readonly Slice[];
  /** What lies in it, in order. */
  readonly parameters: readonly { readonly name: string; readonly offset: number; readonly length: number }[];
}

export interface DevicePlace {
  readonly device: DeviceIndex;
  readonly title: string;
  /** Longest first. */
  readonly subtitles: readonly string[];
  readonly layers: readonly LayerPlace[];
  readonly activations: readonly ActivationPlace[];
  /** What the buffers held before the step counts: not so on DataParallel's replicas, which are made anew on each forward. */
  readonly keeps: boolean;
  readonly samples: readonly number[];
}

const elements = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

function layersOf(info: SessionInfo, device: DeviceIndex): readonly LayerPlace[] {
  const mine = info.buffers.filter((b) => b.device === device);
  const shapeOf = new Map(mine.map((b) => [b.name, b.shape]));
  const held = mine.filter((b) => b.category === 'parameter');
  const place = (name: string): ParameterPlace | undefined => {
    const shape = held.find((b) => b.name === name)?.shape;
    return shape && { name, shape, gradient: shapeOf.has(`${name}.grad`) ? `${name}.grad` : undefined };
  };
  return info.config.model.layers.flatMap((layer, i): LayerPlace[] => {
    const module = String(i);
    const weight = place(`${module}.weight`);
    if (!weight) return [];
    const [out = 1, into = 1] = weight.shape;
    const labels = [`${module} · ${layer.type} ${into}→${out}`, `${module} · ${into}→${out}`, module];
    return [{ module, labels, weight, bias: place(`${module}.bias`) }];
  });
}

function activationsOf(info: SessionInfo, device: DeviceIndex): readonly ActivationPlace[] {
  return info.buffers.flatMap(({ device: d, name, shape }): ActivationPlace[] => {
    if (d !== device) return [];
    if (name === 'x') return [{ buffer: name, shape, labels: ['batch x', 'x'] }];
    const module = /^(\d+)\.out$/.exec(name)?.[1];
    const type = module === undefined ? undefined : info.config.model.layers[Number(module)]?.type;
    return module === undefined
      ? []
      : [{ buffer: name, shape, labels: [`${name} ${type ?? ''}`.trim(), name, module] }];
  });
}

function titles(info: SessionInfo, device: DeviceIndex): { readonly title: string; readonly where: readonly string[] } {
  const cuda = `cuda:${device}`;
  if (info.config.mode === 'ddp') return { title: `rank ${device}`, where: [cuda] };
  if (info.worldSize === 1) return { title: cuda, where: [] };
  return { title: cuda, where: ['process 0 drives'] };
}

function samplesText(samples: readonly number[]): readonly string[] {
  if (samples.length === 0) return ['no samples'];
  const some = (n: number) => `samples ${samples.slice(0, n).join(', ')}${samples.length > n ? ' …' : ''}`;
  return [some(8), some(5), some(3), some(2), `${samples.length} samples`];
}

/** Naive model parallel feeds the whole batch to the first device; the later ones get activations. */
function ownsSamples(info: SessionInfo, device: DeviceIndex): boolean {
  return info.config.mode !== 'modelParallel' || device === 0;
}

export function placeDevices(info: SessionInfo, trace: StepTrace | undefined): readonly DevicePlace[] {
  return Array.from({ length: info.worldSize }, (_, device) => {
    const { title, where } = titles(info, device);
    const samples = trace && ownsSamples(info, device) ? (trace.samples[device] ?? []) : [];
    const texts = trace && ownsSamples(info, device) ? samplesText(samples) : [];
    const head = where[0];
    const subtitles =
      texts.length === 0
        ? where
        : [...texts.map((t) => (head ? `${head} · ${t}` : t)), ...(head ? [head] : []), ...texts.slice(-1)];
    return {
      device,
      title,
      subtitles,
      layers: layersOf(info, device),
      activations: activationsOf(info, device),
      keeps: info.config.mode !== 'dataParallel' || device === 0,
      samples,
    };
  });
}

/** Buckets of the step, in order; their contents from the event that packs them, their chunks from the transfers that move them. */
export function placeBuckets(info: SessionInfo, trace: StepTrace | undefined): readonly BucketPlace[] {
  const packs = trace?.events.filter((e) => e.device === 0 && e.name === 'ddp/pack') ?? [];
  return packs.flatMap((pack, order): BucketPlace[] => {
    const buffer = pack.writes[0];
    if (buffer === undefined || !trace) return [];
    let offset = 0;
    const parameters = pack.reads.map((gradient) => {
      const name = gradient.replace(/\.grad$/, '');
      const length = elements(info.parameters.find((p) => p.name === name)?.shape ?? [0]);
      offset += length;
      return { name, offset: offset - length, length };
    });
    const cuts = new Map<number, Slice>();
    for (const { slice } of trace.events)
      if (slice?.buffer === buffer && slice.length > 0) cuts.set(slice.offset, slice);
    const chunks = [...cuts.values()].sort((a, b) => a.offset - b.offset);
    const whole = { buffer, offset: 0, length: offset };
    return [
      { index: pack.bucket ?? order, buffer, length: offset, parameters, chunks: chunks.length > 0 ? chunks : [whole] },
    ];
  });
}

/** '2.weight, 2.bias': the parameters that a stretch of the bucket holds some of. */
export function parametersIn(bucket: BucketPlace, slice: Slice): readonly string[] {
  return bucket.parameters
    .filter((p) => p.offset < slice.offset + slice.length && slice.offset < p.offset + p.length)
    .map((p) => p.name);
}
