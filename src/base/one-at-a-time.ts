/** Runs tasks one after the other in the order in which they were given; one that fails does not hold up the next. */
export type OneAtATime = <T>(task: () => Promise<T> | T) => Promise<T>;

export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => {});
    return result;
  };
}
