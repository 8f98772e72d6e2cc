import { cronSchedule } from './cron-line.ts'

export type Command = { readonly label: string; readonly text: string }

type Commanded = { readonly id: string; readonly account: string }

/** Commands for the folder of the config file. Checks that wait for pings cannot be run. */
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

/** Commands for any place where `TIDEMARK_URL` and `TIDEMARK_KEY` are set. */
export function remoteCommands({ id }: Pick<Commanded, 'id'>): readonly Command[] {
  return [
    { label: 'Follow its results', text: `tidemark tail ${shellWord(id)}` },
    { label: 'Silence its alerts', text: `tidemark alert silence --for 2h --check ${shellWord(id)} --comment "Planned work"` },
  ]
}

type PingedJob = { readonly periodSeconds: number; readonly graceSeconds: number; readonly token: string | null }

/** Commands that ping the check from a job; `token` is a shell variable. */
export function pingCommands({ periodSeconds, token }: PingedJob, server: string): readonly Command[] {
  const url = `"${server}/ping/${token ?? '$TOKEN'}"`
  const curl = `curl -fsS -m 10 --retry 3 -o /dev/null ${url}`
  return [
    { label: 'The URL to ping', text: url.slice(1, -1) },
    { label: 'At the end of the job', text: curl },
    { label: 'When the job has failed', text: `${curl.slice(0, -1)}/fail"` },
    { label: 'For a crontab', text: `${cronSchedule(periodSeconds / 60)} /path/to/job && ${curl}` },
  ]
}

function shellWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
