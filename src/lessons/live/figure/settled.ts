/** Calls a task some time after it was asked for, once for all that asked meanwhile. */
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
