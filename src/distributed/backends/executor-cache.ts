/**
 * Keeps the executors of the collectives that a group has run most recently, because training issues the same
 * collectives in every step and making an executor takes long.
 */
import type { Program } from '../../program/instruction';
import type { Executor } from '../../runtime/executor';
import { collectiveProgram, requestKey } from './collective-program';
import type { CollectiveRequest } from './group-backend';

/** The number of different calls whose executors are kept. */
const KEPT = 16;

export class ExecutorCache {
  private readonly kept = new Map<string, Promise<Executor>>();

  constructor(private readonly open: (program: Program) => Promise<Executor>) {}

  get(request: CollectiveRequest): Promise<Executor> {
    const key = requestKey(request);
    const known = this.kept.get(key) ?? this.open(collectiveProgram(request));
    // The newest entry comes last.
    this.kept.delete(key);
    this.kept.set(key, known);
    const [oldest] = this.kept.keys();
    if (this.kept.size > KEPT && oldest !== undefined) this.drop(oldest);
    return known;
  }

  dispose(): void {
    for (const key of [...this.kept.keys()]) this.drop(key);
  }

  private drop(key: string): void {
    void this.kept.get(key)?.then(
      (executor) => executor.dispose(),
      () => {},
    );
    this.kept.delete(key);
  }
}
