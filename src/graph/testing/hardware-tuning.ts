/** The tuning of hardware, for tests, whose adapter is a software one: its kernels have to be right there too. */
import { type KernelTuning, SOFTWARE_TUNING } from '../kernel-tuning';

export const HARDWARE: KernelTuning = { ...SOFTWARE_TUNING, workgroups: true };

export const TUNINGS: readonly (readonly [string, KernelTuning])[] = [
  ['software', SOFTWARE_TUNING],
  ['hardware', HARDWARE],
];
