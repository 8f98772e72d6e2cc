const dayMinutes = 1440

/** The cron schedule closest to a job's period, and never less frequent. */
export function cronSchedule(everyMinutes: number): string {
  if (everyMinutes >= 7 * dayMinutes) return '0 3 * * 1'
  if (everyMinutes >= dayMinutes) return '0 3 * * *'
  const hours = divisorUpTo(24, Math.floor(everyMinutes / 60))
  if (hours >= 1) return hours === 1 ? '0 * * * *' : `0 */${hours} * * *`
  return `*/${Math.max(1, divisorUpTo(60, Math.floor(everyMinutes)))} * * * *`
}

/** Steps of cron restart with each hour or day, so only divisors give even intervals. */
function divisorUpTo(whole: number, most: number): number {
  return Array.from({ length: Math.max(0, most) }, (_, index) => index + 1).findLast((step) => whole % step === 0) ?? 0
}
