/** Whether the task ends within `ms`; rejects if the task fails within `ms`. Leaves no timer behind. */
export async function within(ms: number, task: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([task.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
