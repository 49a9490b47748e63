/** Calls a task some time after it was asked for, once for all that asked meanwhile. */
export function settled(afterMs: number, task: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      task();
    }, afterMs);
  };
}
