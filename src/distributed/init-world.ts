/**
 * How initProcessGroup finds its world: after the rendezvous, every rank writes its backend and world size into the
 * store under its own key, and waits for the keys of the other ranks.
 */
import type { Backend } from '../protocol/process-group';
import { type Meeting, rendezvous, type StoreAccess } from './store/rendezvous';
import { torchError } from './torch-error';

export interface InitRequest {
  readonly backend: string;
  readonly initMethod: string;
  readonly rank: number | undefined;
  readonly worldSize: number | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export function checkBackend(backend: string, hasNccl: boolean): Backend {
  if (backend === 'mpi')
    throw torchError(
      'RuntimeError',
      "Distributed package doesn't have MPI built in. MPI is only included if you build PyTorch from source on a host that has MPI installed.",
      'MPI is a separate library that starts processes (mpirun) and assigns their ranks; a browser has no MPI. Use gloo, which works here over MessagePorts.',
    );
  if (backend !== 'nccl' && backend !== 'gloo')
    throw torchError(
      'ValueError',
      `Invalid backend: '${backend}'`,
      "Use 'gloo' (each rank has its own memory) or 'nccl' (all ranks share one device).",
    );
  if (backend === 'nccl' && !hasNccl)
    throw torchError(
      'RuntimeError',
      "Distributed package doesn't have NCCL built in",
      'NCCL needs memory that all ranks share, but each rank in a worker has a GPUDevice of its own. Use gloo.',
    );
  return backend;
}

export async function initWorld(request: InitRequest, access: StoreAccess): Promise<Meeting> {
  const meeting = await rendezvous(request, access);
  const { rank, worldSize, store } = meeting;
  try {
    if (rank >= worldSize || rank < 0)
      throw torchError(
        'RuntimeError',
        `[enforce fail at ./gloo/context.cc:27] rank < size. ${rank} vs ${worldSize}`,
        `Ranks are numbered from 0 to world size - 1.`,
      );
    const card = `${request.backend} ${worldSize}`;
    if ((await store.add(`default_pg/${rank}/count`, 1)) > 1)
      throw torchError(
        'RuntimeError',
        `Two processes have the rank ${rank}.`,
        'RANK must be different in each process.',
        { rank },
      );
    await store.set(`default_pg/${rank}`, card);
    const keys = Array.from({ length: worldSize }, (_, r) => `default_pg/${r}`);
    await store.wait(keys, request.timeoutMs);
    for (const [r, key] of keys.entries()) {
      const other = await store.get(key);
      if (other !== card)
        throw torchError(
          'RuntimeError',
          `Rank ${rank} joined with backend and world size "${card}", but rank ${r} joined with "${other}".`,
          'All ranks must give the same backend and the same world size.',
        );
    }
    return meeting;
  } catch (error) {
    await meeting.leave();
    throw error;
  }
}
