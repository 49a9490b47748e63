/**
 * The lines of a GradScaler in a pipeline's script. The schedule calls the loss function and backward() by itself, and
 * only the last stage has a loss: without these lines the other ranks would stop in unscale_(), because they have no
 * scale, and each rank would skip steps by itself. Called by the pipeline's listing.
 */
import type { Config } from '../../protocol/config';
import { type CodeLine, codeLine as line } from './code-line';

/** The class of `stagesScalerLines`. */
export const STAGES_SCALER = 'StagesScaler';

/** Stages have an optimiser and a scaler each; torch.amp.GradScaler would let each rank skip by itself. */
export const stagesScalerLines: readonly string[] = [
  `class ${STAGES_SCALER}(torch.amp.GradScaler):  # if one stage finds inf or NaN, all stages skip the step`,
  '    def _unscale_grads_(self, *args):',
  '        found = super()._unscale_grads_(*args)',
  '        for found_inf in found.values():',
  '            torch.distributed.all_reduce(found_inf, torch.distributed.ReduceOp.MAX)',
  '        return found',
];

/** The loss function of a pipeline's schedule, which calls backward() by itself. */
export const scaledLoss = ({ gradScaler }: Config, name: string): string =>
  gradScaler.enabled ? `lambda output, y: scaler.scale(${name}(output, y))` : name;

/** Before the schedule. */
export const firstScale = ({ gradScaler }: Config): readonly string[] =>
  gradScaler.enabled ? ['scaler.scale(torch.zeros((), device=device))  # only the last stage has a loss to scale'] : [];

/** After schedule.step(), which returned scaled losses. */
export const unscaledLosses = ({ gradScaler }: Config): readonly CodeLine[] =>
  gradScaler.enabled ? [line('losses = [loss / scaler.get_scale() for loss in losses]')] : [];
