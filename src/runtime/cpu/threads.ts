/**
 * Starts the threads of the CPU device: worker_threads under Node, workers in a page that is cross-origin isolated.
 * Other pages have no shared memory.
 */
import { createTeam, type StartTeam, serve, type ThreadStart } from '../../graph/vectors/team';
import { canShareMemory, isNode } from '../can-share-memory';

/** Undefined for one thread, or if shared memory is not available. */
export const teamOf = (threads: number): StartTeam | undefined =>
  threads > 1 && canShareMemory() ? { threads, start: (plan) => createTeam(threads, plan, spawn) } : undefined;

/** Starts from the text of `serve`, so that no script has to be located or loaded. */
function spawn(start: ThreadStart): () => void {
  if (isNode()) {
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
    const code = `(${serve})(require('node:worker_threads').workerData)`;
    const thread = new Thread(code, { eval: true, workerData: start });
    // The thread must not keep the process alive.
    thread.unref();
    return () => void thread.terminate();
  }
  const url = URL.createObjectURL(
    new Blob([`onmessage = ({ data }) => (${serve})(data);`], { type: 'text/javascript' }),
  );
  const thread = new Worker(url);
  thread.postMessage(start);
  return () => {
    URL.revokeObjectURL(url);
    thread.terminate();
  };
}
