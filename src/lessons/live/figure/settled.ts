/** Calls the task `afterMs` after the first request, once for all requests until then. */
export function settled(afterMs: number, task: () => void): () => void {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    setTimeout(() => {
      due = false;
      task();
    }, afterMs);
  };
}
