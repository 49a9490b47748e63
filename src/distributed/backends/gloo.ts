/**
 * gloo: every rank has its own typed arrays and runs its own lane of the collective's Program. It sends messages to
 * other ranks through a MessagePort, as gloo sends through a socket. Works within one thread and between workers.
 */
import { LockstepError } from '../../base/errors';
import { oneAtATime } from '../../base/one-at-a-time';
import { PROGRAM_OPS } from '../../parallel/modes';
import { message, viewAs } from '../../runtime/cpu/combine';
import { createCpuExecutor, REMOTE } from '../../runtime/cpu/cpu-executor';
import { createPortTransport } from '../../runtime/transport/port-transport';
import type { Ports } from '../../runtime/transport/rank-links';
import { ExecutorCache } from './executor-cache';
import type { GroupBackend } from './group-backend';
import { runLane } from './run-lane';

/** `ports` lead from this rank to every other rank of the group. */
export function createGloo(rank: number, ports: Ports): GroupBackend {
  const transport = createPortTransport(rank, ports);
  const executors = new ExecutorCache(async (program) => {
    await REMOTE.load();
    return createCpuExecutor({ programs: [program], devices: [rank], ops: PROGRAM_OPS, transport });
  });
  const inOrder = oneAtATime();
  return {
    name: 'gloo',
    run: (request, input, output) =>
      inOrder(async () => runLane(await executors.get(request), request, [{ rank, input, output }])),
    async send({ from, to, name }, data) {
      transport.send(from, to, name, message(data));
    },
    async recv({ from, to, name }, into) {
      into.set(viewAs(into, await transport.recv(from, to, name)));
    },
    close(error) {
      transport.close(error instanceof LockstepError ? error : new LockstepError('aborted', error.message));
      executors.dispose();
    },
  };
}
