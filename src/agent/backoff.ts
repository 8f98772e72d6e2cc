/** The pause before the next try after so many failures in a row: doubled each time, and spread so that agents do not return all at once. */
export function reconnectDelayMs(failures: number, maxMs: number, random: () => number): number {
  const fullMs = Math.min(maxMs, 1000 * 2 ** Math.min(failures - 1, 20))
  return fullMs * (0.5 + random() / 2)
}
