/**
 * The parts of a mode's PyTorch script. The dialect assembles them: script.ts for the listing beside the run,
 * export/train-file.ts for train.py.
 */
import type { CodeLine } from './code-line';
import type { seedLines } from './ddp';
import type { GroupHolders } from './devices';
import type { LoopParts } from './loop';
import type { ModelCode } from './model';
import type { Parameters } from './optim';

export interface Script {
  /** How it trains, after 'Trains the net': 'with DistributedDataParallel on 4 ranks'. */
  readonly about: string;
  /** Number of devices that one process drives, if several. */
  readonly devices?: number;
  /** The ranks have parts of the model, in the variable `modules`. */
  readonly stages?: true;
  /** Ranks of a tensor group, `mesh['tp']`, share each of these layers. */
  readonly sharesLayers?: true;
  /** Number of replicas of such a model, each with its own rows. */
  readonly replicas?: number;
  /** Number of optimizer.step() calls in a step, if several. */
  readonly updates?: number;
  /** Batches of the rank with most, if the numbers differ. */
  readonly uneven?: number;
  /** The lines of devices.ts, for a mode without ranks. train.py has its own. */
  readonly placing?: readonly string[];
  /** Comments above everything. */
  readonly notes?: readonly string[];
  readonly imports?: readonly string[];
  /** Lines before the seed: before the process group, the process group with the rank and its device, and after it. */
  readonly beforeGroup?: readonly string[];
  readonly group?: readonly string[];
  /** Collectives also of tensors in the memory of the host: the process group needs gloo beside nccl. */
  readonly offloads?: boolean;
  readonly behindGroup?: readonly string[];
  /** For a script with ranks: variables to delete before the process group. */
  readonly holdsGroup?: GroupHolders;
  readonly model: ModelCode;
  /** Seeds that ranks set for themselves. */
  readonly seeds?: ReturnType<typeof seedLines>;
  readonly dataNames?: readonly string[];
  /** The wrapper of the model, if any. */
  readonly wrapper?: CodeLine;
  readonly beforeWrapper?: readonly CodeLine[];
  /** Lines after the model. */
  readonly afterModel?: readonly CodeLine[];
  readonly afterOptimizer?: readonly CodeLine[];
  /** Arguments besides the optimiser's settings: 'foreach=False'. */
  readonly optimizerArguments?: readonly string[];
  /** A class that takes the optimiser's as `optimizer_class`: ZeroRedundancyOptimizer. */
  readonly optimizerWrapper?: string;
  /** The class of the GradScaler; absent: torch.amp.GradScaler. */
  readonly scaler?: string;
  /** The parameters that the optimiser steps, if not the whole model's. */
  readonly parameters?: Parameters;
  /** Where each module that shares a weight has a copy: see Parameters. */
  readonly copies?: Parameters['copies'];
  /** State of a checkpoint that the script does not read. */
  readonly notRead?: readonly string[];
  readonly loaders: readonly string[];
  readonly loop: LoopParts;
}

/** A note of scripts that cannot read the checkpoint of their run. */
export const BEGINS_ANEW =
  '# the run resumes a checkpoint; this script does not read it, begins at step 0, and prints other losses';
