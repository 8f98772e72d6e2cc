/** When cron starts a job that runs every so many minutes, as near as cron can say it. */
export function cronSchedule(everyMinutes: number): string {
  if (everyMinutes < 60) return `*/${Math.max(1, everyMinutes)} * * * *`
  const hours = Math.floor(everyMinutes / 60)
  if (hours === 1) return '0 * * * *'
  return hours < 24 ? `0 */${hours} * * *` : '0 3 * * *'
}
