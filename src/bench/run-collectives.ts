/**
 * Measures one collective over a range of sizes, as nccl-tests does: checks the values after one run from fresh data,
 * then times consecutive iterations; adds the modelled time of the same Program. Called by the command line.
 */

import { LockstepError } from '../base/errors';
import { plural } from '../base/plural';
import { outputLength } from '../collectives/output-length';
import { LOCKSTEP_VERSION } from '../headless/report';
import { type LabShape, labDtype, labProgram, reduces } from '../lab/lab-program';
import { BUS_FACTOR } from '../protocol/bus-factor';
import type {
  CollectivesReport,
  CollectivesRequest,
  CollectivesRow,
  CollectiveTiming,
} from '../protocol/collectives-report';
import { LIMITS } from '../protocol/config';
import { describe } from '../simulator/hardware';
import { machineOf } from '../simulator/machine';
import { modelledStep } from '../simulator/simulate';
import { openCollective } from './bench-collective';
import { collectiveInput, wrongElements } from './collective-values';
import { stopIfAsked } from './stop-if-asked';

const ELEMENT = 4;
/** The most bytes of all ranks' buffers together, by the limits of adapters and of a reasonable command. */
const MOST_BYTES = 2 ** 31;

export interface RunCollectivesOptions {
  readonly gpu?: GPU | undefined;
  readonly signal?: AbortSignal;
  readonly onRow?: (row: CollectivesRow, report: Omit<CollectivesReport, 'rows'>) => void;
}

export async function runCollectives(
  request: CollectivesRequest,
  { gpu, signal, onRow }: RunCollectivesOptions,
): Promise<CollectivesReport> {
  check(request);
  const hardware = machineOf({ hardware: request.hardware, worldSize: request.ranks, nodes: request.nodes });
  const rows: CollectivesRow[] = [];
  let head: Omit<CollectivesReport, 'rows'> | undefined;
  for (const bytes of sizes(request)) {
    await stopIfAsked(signal, `Stopped after ${plural(rows.length, 'size')}.`);
    const shape = shapeOf(request, bytes);
    const placement = request.transport === 'ports' ? 'workers' : 'shared';
    const opened = await openCollective(shape, { device: request.device, placement, gpu });
    try {
      head ??= {
        lockstep: LOCKSTEP_VERSION,
        request,
        algorithm: opened.algorithm,
        device: opened.info,
        modelledHardware: describe(hardware).label,
        clock: 'measured: wall clock of this machine; modelled: the cost model of the named hardware',
      };
      const wrong = await checkValues(shape, opened);
      await opened.run(request.warmup);
      const started = performance.now();
      await opened.run(request.iterations);
      const us = (1000 * (performance.now() - started)) / request.iterations;
      const timing = (timeUs: number): CollectiveTiming => {
        const algorithmBandwidth = timeUs > 0 ? bytes / timeUs / 1000 : 0;
        const busBandwidth = algorithmBandwidth * BUS_FACTOR[request.op](request.ranks);
        return { timeUs, algorithmBandwidth, busBandwidth };
      };
      const row: CollectivesRow = {
        bytes,
        count: shape.length,
        dtype: labDtype(shape) === 'i32' ? 'int32' : 'float',
        reduceOp: reduces(request.op) ? request.reduceOp : 'none',
        root: ['broadcast', 'reduce', 'scatter', 'gather'].includes(request.op) ? request.root : -1,
        measured: timing(us),
        modelled: timing(modelledStep(labProgram(shape).program, hardware).stepUs),
        wrong,
      };
      rows.push(row);
      onRow?.(row, head);
    } finally {
      await opened.dispose();
    }
  }
  if (!head) throw new LockstepError('config', 'There is no size to run.', '--bytes 64KiB..16MiB, for example.');
  return { ...head, rows };
}

async function checkValues(shape: LabShape, opened: Awaited<ReturnType<typeof openCollective>>): Promise<number> {
  if (shape.op === 'barrier') {
    await opened.run(1);
    return 0;
  }
  for (let rank = 0; rank < shape.worldSize; rank++) await opened.write(rank, collectiveInput(shape, rank));
  await opened.run(1);
  let wrong = 0;
  for (let rank = 0; rank < shape.worldSize; rank++) wrong += wrongElements(shape, rank, await opened.read(rank));
  return wrong;
}

/** The sizes, each larger by the factor, with whole elements for each rank. */
export function sizes({ op, ranks, fromBytes, toBytes, stepFactor }: CollectivesRequest): readonly number[] {
  if (op === 'barrier') return [0];
  const unit = ['allReduce', 'broadcast', 'reduce'].includes(op) ? ELEMENT : ELEMENT * ranks;
  const found: number[] = [];
  for (let bytes = fromBytes; bytes <= toBytes; bytes = Math.max(bytes + unit, bytes * stepFactor)) {
    const whole = Math.floor(bytes / unit) * unit;
    if (found.at(-1) !== whole) found.push(whole);
  }
  return found;
}

function shapeOf({ op, reduceOp, algorithm, ranks, root, nodes }: CollectivesRequest, bytes: number): LabShape {
  const gathers = op === 'allGather' || op === 'gather';
  const length = bytes / ELEMENT / (gathers ? ranks : 1);
  return { op, reduceOp, algorithm, worldSize: ranks, length, root, nodes };
}

function check(request: CollectivesRequest): void {
  const { op, reduceOp, ranks, nodes, root, toBytes } = request;
  const refuse = (message: string, hint: string): never => {
    throw new LockstepError('config', message, hint);
  };
  if (ranks > LIMITS.collective)
    refuse(`${ranks} ranks are too many.`, `A collective by itself has 1 to ${LIMITS.collective} ranks.`);
  if (root >= ranks) refuse(`Invalid rank ${root} for a group of ${ranks}.`, `--root is 0 to ${ranks - 1}.`);
  if (nodes > ranks || ranks % nodes !== 0)
    refuse(`${ranks} ranks are not spread evenly over ${nodes} nodes.`, 'Let --nodes divide --ranks.');
  if (!reduces(op) && reduceOp !== 'sum')
    refuse(`${op} reduces nothing, so --redop ${reduceOp} has no meaning.`, 'Leave --redop out.');
  const shape = shapeOf(request, toBytes);
  const bytes = ELEMENT * ranks * (shape.length + (outputLength(op, shape.length, ranks) ?? 0));
  if (bytes > MOST_BYTES)
    refuse(
      `The buffers of ${ranks} ranks would take ${Math.round(bytes / 2 ** 20)} MiB.`,
      `Together at most ${MOST_BYTES / 2 ** 20} MiB: fewer ranks or a smaller size.`,
    );
}
