/** Runs tasks one after the other, in the order given; a task that fails does not stop the next one. */
export type OneAtATime = <T>(task: () => Promise<T> | T) => Promise<T>;

export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => {});
    return result;
  };
}
