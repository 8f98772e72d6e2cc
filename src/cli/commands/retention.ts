import type { ServiceSettings } from '../../catalogue/catalogue.ts'
import { backoffMs } from '../../concurrency/backoff.ts'
import type { RunClock } from '../../runner/clock.ts'
import type { RunnerLog } from '../../runner/log.ts'
import type { Expiring, Store } from '../../store/store.ts'
import { isoText, minuteMs } from '../../time.ts'

type RetentionOptions = {
  readonly store: Pick<Store, 'applyRetention' | 'applyEvidenceRetention' | 'expiring'>
  readonly clock: Pick<RunClock, 'now' | 'after'>
  readonly log: RunnerLog
}

/** Failed counts and deletions are retried with exponential backoff. */
const firstRetryMs = 5000
const maxRetryMs = 10 * minuteMs

type Wanted = Pick<ServiceSettings, 'retentionDays' | 'retentionDelayMs' | 'evidenceRetentionDays'>

/**
 * Applies the retention of the config file. At the start and after a change, it announces the results it would delete and deletes them
 * after a delay. Evidence is deleted immediately.
 */
export function startRetention({ store, clock, log }: RetentionOptions) {
  let wanted: Wanted | null = null
  let evidenceDays: number | null = null
  let cancel = () => {}

  const apply = (days: number) => store.applyRetention(days)
  const announce = async (change: Wanted): Promise<void> => {
    const expiring = await store.expiring(change.retentionDays)
    if (change !== wanted) return
    if (expiring.results === 0) return apply(change.retentionDays)
    log.warn({ retentionDays: change.retentionDays, ...expiring }, announcement(change, expiring, clock.now()))
    cancel = clock.after(change.retentionDelayMs, () => void logged(apply(change.retentionDays)))
  }
  const logged = (work: Promise<void>) => work.catch((err) => log.error({ err }, 'Could not apply the retention.'))
  /** Deletes nothing until the announcement succeeds: the store does not know this retention before. */
  const announceUntilDone = async (change: Wanted, failures = 0): Promise<void> => {
    try {
      await announce(change)
    } catch (err) {
      if (change !== wanted) return
      const retryMs = backoffMs(failures + 1, { firstMs: firstRetryMs, maxMs: maxRetryMs })
      log.error({ err }, `Could not apply the retention. Retrying in ${retryMs / 1000} s.`)
      cancel = clock.after(retryMs, () => void announceUntilDone(change, failures + 1))
    }
  }

  return {
    /** Call this at the start and after each change of the config file. */
    set(service: Wanted): void {
      if (evidenceDays !== service.evidenceRetentionDays) {
        evidenceDays = service.evidenceRetentionDays
        void logged(store.applyEvidenceRetention(evidenceDays))
      }
      if (wanted?.retentionDays === service.retentionDays) return
      wanted = service
      cancel()
      void announceUntilDone(service)
    },
    close(): void {
      wanted = null
      cancel()
    },
  }
}

function announcement({ retentionDays, retentionDelayMs }: Wanted, { results, checks, first, last }: Expiring, now: number): string {
  const days = `${dayText(first)} to ${dayText(last)}`
  const when = isoText(now + retentionDelayMs)
  return `The retention is ${retentionDays}d: ${results} results of ${checks} checks from ${days} will be deleted at ${when}. To keep them, set a longer retention before then.`
}

const dayText = (time: number | null) => isoText(time ?? 0).slice(0, 10)
