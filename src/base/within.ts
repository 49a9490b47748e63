/** Whether the task ends in that time; rejects when it fails in that time. Leaves no timer behind. */
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
