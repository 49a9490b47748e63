/**
 * `torch.optim.lr_scheduler.ReduceLROnPlateau`: divides the rates once a metric has not improved for longer than
 * `patience`. It needs a metric, so it is not a function of the step: a run enqueues steps before the losses of earlier
 * ones are back. Therefore no Config offers it; it is for callers that read every metric before the next step.
 */
export interface PlateauOptions {
  readonly mode?: 'min' | 'max';
  readonly factor?: number;
  /** Number of tolerated steps without improvement. */
  readonly patience?: number;
  readonly threshold?: number;
  /** rel: a share of the best metric; abs: a distance from it. */
  readonly thresholdMode?: 'rel' | 'abs';
  /** Steps after a reduction during which bad steps are not counted. */
  readonly cooldown?: number;
  readonly minLr?: number;
  /** Smaller reductions are not applied. */
  readonly eps?: number;
}

/** Changes `lr` of the groups in place. */
export class ReduceLROnPlateau {
  readonly #options: Required<PlateauOptions>;
  #best: number;
  #bad = 0;
  #cooling = 0;

  constructor(
    private readonly groups: readonly { lr: number }[],
    options: PlateauOptions = {},
  ) {
    this.#options = {
      mode: 'min',
      factor: 0.1,
      patience: 10,
      threshold: 1e-4,
      thresholdMode: 'rel',
      cooldown: 0,
      minLr: 0,
      eps: 1e-8,
      ...options,
    };
    this.#best = this.#options.mode === 'min' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  step(metric: number): void {
    if (this.#improves(metric)) {
      this.#best = metric;
      this.#bad = 0;
    } else {
      this.#bad += 1;
    }
    if (this.#cooling > 0) {
      this.#cooling -= 1;
      this.#bad = 0;
    }
    if (this.#bad <= this.#options.patience) return;
    this.#reduce();
    this.#cooling = this.#options.cooldown;
    this.#bad = 0;
  }

  #improves(metric: number): boolean {
    const { mode, threshold, thresholdMode } = this.#options;
    if (mode === 'min')
      return metric < (thresholdMode === 'rel' ? this.#best * (1 - threshold) : this.#best - threshold);
    return metric > (thresholdMode === 'rel' ? this.#best * (1 + threshold) : this.#best + threshold);
  }

  #reduce(): void {
    const { factor, minLr, eps } = this.#options;
    for (const group of this.groups) {
      const reduced = Math.max(group.lr * factor, minLr);
      if (group.lr - reduced > eps) group.lr = reduced;
    }
  }
}
