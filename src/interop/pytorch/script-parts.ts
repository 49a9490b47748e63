/**
 * What a mode puts into its PyTorch script. Who puts the parts together is the dialect's affair: script.ts for the
 * listing beside the run, export/train-file.ts for train.py.
 */
import type { CodeLine } from './code-line';
import type { seedLines } from './ddp';
import type { GroupHolders } from './devices';
import type { LoopParts } from './loop';
import type { ModelCode } from './model';
import type { Parameters } from './optim';

export interface Script {
  /** How it trains, behind 'Trains the net': 'with DistributedDataParallel on 4 ranks'. */
  readonly about: string;
  /** Devices that one process drives, where they are several. */
  readonly devices?: number;
  /** The ranks have parts of the model, in the variable `modules`. */
  readonly stages?: true;
  /** Of such a model: how many there are, each with rows of its own. */
  readonly replicas?: number;
  /** Calls of optimizer.step() in a step, where they are several. */
  readonly updates?: number;
  /** Batches of the rank with most, where ranks have different numbers of them. */
  readonly uneven?: number;
  /** The lines of devices.ts, of a mode without ranks. train.py has its own. */
  readonly placing?: readonly string[];
  /** Above everything, as comments. */
  readonly notes?: readonly string[];
  readonly imports?: readonly string[];
  /** Before the seed: before the process group, the process group with the rank and its device, and behind it. */
  readonly beforeGroup?: readonly string[];
  readonly group?: readonly string[];
  /** Collectives also of tensors in the memory of the host: the process group needs gloo beside nccl. */
  readonly offloads?: boolean;
  readonly behindGroup?: readonly string[];
  /** Of a script with ranks: what must go before the process group. */
  readonly holdsGroup?: GroupHolders;
  readonly model: ModelCode;
  /** Seeds that ranks set for themselves. */
  readonly seeds?: ReturnType<typeof seedLines>;
  readonly dataNames?: readonly string[];
  /** What holds the model, if anything does. */
  readonly wrapper?: CodeLine;
  readonly beforeWrapper?: readonly CodeLine[];
  /** Beside the model. */
  readonly afterModel?: readonly CodeLine[];
  readonly afterOptimizer?: readonly CodeLine[];
  /** Beside the optimiser's settings: 'foreach=False'. */
  readonly optimizerArguments?: readonly string[];
  /** A class that takes the optimiser's as `optimizer_class`: ZeroRedundancyOptimizer. */
  readonly optimizerWrapper?: string;
  /** The class of the GradScaler; absent: torch.amp.GradScaler. */
  readonly scaler?: string;
  /** What the optimiser steps, where it is not all of the model. */
  readonly parameters?: Parameters;
  /** What a checkpoint has, and the script does not read. */
  readonly notRead?: readonly string[];
  readonly loaders: readonly string[];
  readonly loop: LoopParts;
}

/** A note of scripts that cannot read the checkpoint of their run. */
export const BEGINS_ANEW =
  '# the run resumes a checkpoint; this script does not read it, begins at step 0, and prints other losses';
