/**
 * `window.lockstep`: what scripts, the command line's `--browser` and the browser tests may call. `run` takes a Config as the
 * command line does and resolves to the same report.
 */
import { toWire } from '../base/errors';
import type { Files, Report } from '../protocol/session';
import type { SpawnOptions } from '../session/launch/spawn-ranks';
import type { Controller } from './controller';

export interface WindowApi {
  /** Trains from start to end in a worker of its own. Rejects with a plain object that has code, message, hint and details. */
  run(config: unknown, files?: Files): Promise<Report>;
  /**
   * torch.multiprocessing.spawn: a worker a rank. Each runs the default export of a module, async (dist, rank, torch) => result; docs/distributed.md has
   * examples. Resolves with the results in order of rank.
   */
  spawn(module: string, nprocs: number, options?: SpawnOptions): Promise<unknown[]>;
  /** The link to what the page shows. */
  href(): string;
  /** For the tests of the page: corrupts the transfer with that event id by adding a number; loses the device. */
  readonly test: {
    corrupt(event: number | undefined, add: number): Promise<void>;
    loseDevice(): Promise<void>;
  };
}

declare global {
  interface Window {
    lockstep?: WindowApi;
  }
}

export function createWindowApi(controller: Controller, href: () => string): WindowApi {
  const wired = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw toWire(error);
    }
  };
  return {
    run: (config, files) => wired(controller.run(config, files)),
    spawn: (module, nprocs, options) =>
      wired(import('../session/launch/spawn-ranks').then(({ spawnWorkers }) => spawnWorkers(module, nprocs, options))),
    href,
    test: {
      corrupt: (event, add) => wired(controller.corrupt(event, add)),
      loseDevice: () => wired(controller.loseDevice()),
    },
  };
}
