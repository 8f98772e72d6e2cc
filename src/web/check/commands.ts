import { dayMs, hourMs, minuteMs } from '../../time.ts'

export type Command = { readonly label: string; readonly text: string }

type Commanded = { readonly id: string; readonly account: string }

/** What is typed in the folder of the config file; of a check that waits for pings there is no run. */
export function localCommands({ id, account }: Commanded, isRun: boolean): readonly Command[] {
  const own = `--account ${shellWord(account)}`
  const run = { label: 'Run it now, without storing the result', text: `tidemark run ${shellWord(id)} ${own}` }
  return [
    ...(isRun ? [run] : []),
    {
      label: 'Maintenance for it, from now on',
      text: `tidemark maintenance add "Planned work" --for 1h --check ${shellWord(id)} ${own}`,
    },
  ]
}

/** What is typed wherever `TIDEMARK_URL` and `TIDEMARK_KEY` are set. */
export function remoteCommands({ id }: Pick<Commanded, 'id'>): readonly Command[] {
  return [
    { label: 'Follow its results', text: `tidemark tail ${shellWord(id)}` },
    { label: 'Silence its alerts', text: `tidemark alert silence --for 2h --check ${shellWord(id)} --comment "Planned work"` },
  ]
}

export type PingSchedule = { readonly periodSeconds: number; readonly graceSeconds: number; readonly token: string | null }

/** How a job says that it is alive; `token` is a variable, which the shell reads. */
export function pingCommands({ periodSeconds, token }: PingSchedule, server: string): readonly Command[] {
  const url = `"${server}/ping/${token ?? '$TOKEN'}"`
  const curl = `curl -fsS -m 10 --retry 3 -o /dev/null ${url}`
  return [
    { label: 'The URL to ping', text: url.slice(1, -1) },
    { label: 'At the end of the job', text: curl },
    { label: 'When the job has failed', text: `${curl.slice(0, -1)}/fail"` },
    { label: 'For a crontab', text: `${cronSchedule(periodSeconds * 1000)} /path/to/job && ${curl}` },
  ]
}

/** The schedule of cron that is nearest to a period, and no rarer. */
export function cronSchedule(periodMs: number): string {
  if (periodMs >= 7 * dayMs) return '0 3 * * 1'
  if (periodMs >= dayMs) return '0 3 * * *'
  const hours = divisorUpTo(24, Math.floor(periodMs / hourMs))
  if (hours >= 1) return hours === 1 ? '0 * * * *' : `0 */${hours} * * *`
  const minutes = divisorUpTo(60, Math.floor(periodMs / minuteMs))
  return minutes <= 1 ? '* * * * *' : `*/${minutes} * * * *`
}

/** Steps of cron start anew with each hour or day, so that only those that divide it are even. */
function divisorUpTo(whole: number, most: number): number {
  return Array.from({ length: Math.max(0, most) }, (_, index) => index + 1).findLast((step) => whole % step === 0) ?? 0
}

function shellWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
