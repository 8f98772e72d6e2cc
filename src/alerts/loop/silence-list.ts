import { randomUUID } from 'node:crypto'
import type { WorkerHandle } from '../../store/threads/worker.ts'
import type { Silence } from '../decide/model.ts'
import type { AlertDatabase } from '../outbox/alert-database.ts'

type SilenceOptions = {
  readonly database: WorkerHandle<AlertDatabase>
  readonly stored: readonly Silence[]
  readonly now: () => number
  /** Called once a change is on disk. */
  readonly onChange: (account: string) => Promise<void>
}

/** Current and future silences, in memory and on disk. */
export function createSilenceList({ database, stored, now, onChange }: SilenceOptions) {
  let silences = [...stored]
  const isOf = (account: string) => (silence: Silence) => silence.account === account && silence.to > now()
  return {
    of: (account: string): readonly Silence[] => silences.filter(isOf(account)),
    inForce: (account: string): readonly Silence[] => silences.filter(isOf(account)).filter(({ from }) => from <= now()),
    async add(given: Omit<Silence, 'id'>): Promise<Silence> {
      const silence = { ...given, id: randomUUID() }
      // Before the write, so that concurrent callers count this one against the limit.
      silences = [...silences.filter(({ to }) => to > now()), silence]
      await database.call('putSilence', [silence, now()]).catch((error) => {
        silences = silences.filter((each) => each !== silence)
        throw error
      })
      await onChange(silence.account)
      return silence
    },
    async end(account: string, id: string): Promise<boolean> {
      const isEnded = await database.call('endSilence', [account, id, now()])
      silences = silences.filter((silence) => silence.account !== account || silence.id !== id)
      if (isEnded) await onChange(account)
      return isEnded
    },
  }
}
