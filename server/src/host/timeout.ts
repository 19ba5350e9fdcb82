/**
 * Waits for a promise and returns its value. If it takes longer than `milliseconds`, calls `onLate`
 * and returns undefined.
 */
export async function withTimeout<T>(
  promise: Promise<T>,
  milliseconds: number,
  onLate?: () => void,
): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeoutResult = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      onLate?.();
      resolve(undefined);
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, timeoutResult]);
  } finally {
    clearTimeout(timer);
  }
}
