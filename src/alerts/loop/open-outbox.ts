import { makePrivateFolder } from '../../store/embedded/disk/private-files.ts'
import { createRetentionPause } from '../../store/retention-pause.ts'
import { inlineWorker, singleWorker, type WorkerHandle } from '../../store/threads/worker.ts'
import type { ThreadOptions } from '../../threads/thread.ts'
import type { StoredAlerts } from '../decide/alert-state.ts'
import { type AlertDatabase, openAlertDatabase } from '../outbox/alert-database.ts'
import type { StoredAccounts } from '../outbox/alert-records.ts'
import { keptMs } from '../outbox/alert-rows.ts'
import type { Log } from './alert-service.ts'
import { isAboutChannel } from './channel-notice.ts'

export type OutboxOptions = {
  readonly directory: string
  readonly now: () => number
  readonly log: Pick<Log, 'warn'>
  /** Runs the database in this thread instead of its own. */
  readonly inline?: boolean
  /** Replaces the database in the directory; the caller closes it. */
  readonly database?: WorkerHandle<AlertDatabase>
} & Pick<ThreadOptions, 'onLost'>

export async function openOutbox({ now, log, ...options }: OutboxOptions) {
  const database = databaseOf(options)
  const isPaused = createRetentionPause({ clock: now, log: (problem) => log.warn({}, String(problem)) })
  const expire = async () => {
    if (!isPaused()) await database.call('expire', [now() - keptMs])
  }
  await expire()
  const secret = await database.call('secret', [])
  await database.call('beginHistory', [now()])
  const stored = await database.call('load', [now()])
  const close = async () => {
    if (!options.database) await database.close()
  }
  return { database, secret, stored, expire, close }
}

function databaseOf({ directory, database, inline, onLost }: Omit<OutboxOptions, 'now' | 'log'>): WorkerHandle<AlertDatabase> {
  makePrivateFolder(directory)
  if (database) return database
  if (inline) return inlineWorker(openAlertDatabase({ directory }))
  const url = new URL(`../outbox/${'outbox'}-thread.js`, import.meta.url)
  return singleWorker(url, { directory }, { kind: 'alerts', ...(onLost && { onLost }) })
}

export function storedOf({ incidents, notified, inFlight }: StoredAccounts, account: string): StoredAlerts {
  const own = incidents.filter((incident) => incident.account === account)
  const ids = new Set(own.map(({ id }) => id))
  const waiting = inFlight.filter((each) => each.account === account).map(({ delivery }) => delivery)
  return {
    incidents: own,
    notified: notified.filter(({ incident }) => ids.has(incident)),
    inFlight: waiting.filter((delivery) => !isAboutChannel(delivery)),
  }
}
