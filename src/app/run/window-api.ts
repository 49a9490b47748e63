/**
 * `window.lockstep`: the interface for scripts, the command line's `--browser` and browser tests. `run` takes a Config
 * as the command line does and resolves to the same report.
 */
import { toWire } from '../../base/errors';
import { loadPart } from '../../base/load-part';
import type { SpawnOptions } from '../../launch/spawn-ranks';
import type { RecordOptions, Report } from '../../protocol/report';
import type { Files } from '../../protocol/session';
import type { Controller } from './controller';

export interface WindowApi {
  /**
   * Trains from start to end in a worker of its own. `records`: { history: 20, weights: true }, as --history and
   * --weights of the command line. Rejects with a plain object that has code, message, hint and
   * details.
   */
  run(config: unknown, files?: Files, records?: RecordOptions): Promise<Report>;
  /**
   * torch.multiprocessing.spawn: one worker per rank, one rank where nprocs is left out, at most 64. Each runs the
   * default export of a module, async (dist, rank, torch) => result; docs/distributed.md has examples. Resolves with
   * the results in order of rank.
   */
  spawn(module: string | URL, nprocs?: number, options?: SpawnOptions): Promise<unknown[]>;
  /** The link to the page's state. */
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
  const wired = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await task();
    } catch (error) {
      throw toWire(error);
    }
  };
  return {
    run: (config, files, records) =>
      wired(async () => {
        const { plainData, plainFiles } = await loadPart('The reader of settings', () => import('../state/plain-data'));
        return controller.run(
          plainData(config, 'config'),
          plainFiles(files),
          // headless/run.ts validates it.
          plainData(records, 'records') as RecordOptions | undefined,
        );
      }),
    spawn: (module, nprocs, options) =>
      wired(async () => {
        const { spawnRanks } = await loadPart('The launcher of ranks', () => import('../../launch/spawn-ranks'));
        return spawnRanks(module, nprocs, options);
      }),
    href,
    test: {
      corrupt: (event, add) => wired(() => controller.ask((run) => run.corrupt(event, add))),
      loseDevice: () => wired(() => controller.ask((run) => run.loseDevice())),
    },
  };
}
