/**
 * Starts the threads of the CPU device: worker_threads under Node, workers in a page that is cross-origin isolated.
 * Elsewhere there is no memory that threads could share.
 */
import { createTeam, type StartTeam, serve, type ThreadStart } from '../../graph/vectors/team';

const isNode = (): boolean => typeof process !== 'undefined' && typeof process.getBuiltinModule === 'function';

/** Whether a run can have more than one thread here. */
export const canShareMemory = (): boolean =>
  typeof SharedArrayBuffer === 'function' && (isNode() || globalThis.crossOriginIsolated === true);

/** Undefined for one thread, and where there can be no more. */
export const teamOf = (threads: number): StartTeam | undefined =>
  threads > 1 && canShareMemory() ? { threads, start: (plan) => createTeam(threads, plan, spawn) } : undefined;

/** Begins with the text of `serve`, so that no script has to be found or fetched. */
function spawn(start: ThreadStart): () => void {
  if (isNode()) {
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
    const code = `(${serve})(require('node:worker_threads').workerData)`;
    const thread = new Thread(code, { eval: true, workerData: start });
    // A run that ends must not wait for it.
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
