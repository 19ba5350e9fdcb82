/** Waiting for what may never come. */

/** What a promise gives; undefined where it takes longer than so many milliseconds. */
export async function soon<T>(promise: Promise<T>, milliseconds: number, onLate?: () => void): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      onLate?.();
      resolve(undefined);
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
