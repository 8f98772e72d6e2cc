import { dayOf, startOfDay } from '../../time.ts'
import { createRetentionPause } from '../retention-pause.ts'
import type { Expiring } from '../store.ts'
import type { WorkerHandle } from '../threads/worker.ts'
import type { SealOrder, Writer } from './write/writer.ts'

type MaintenanceOptions = {
  readonly clock: () => number
  readonly log: (problem: unknown) => void
  /** Called with the number of sealed days dropped, counted per check. */
  readonly dropped: (days: number) => void
}

const minuteMs = 60_000
const firstRunMs = minuteMs / 6
const intervalMs = 10 * minuteMs
/** With this many hot results, a check is sealed before its day is over. */
const minResultsToSeal = 512
/** Background sealing looks for work after this many appended results, and at the first commit. A commit counts as at least `minimum`. */
const sealCheck = { results: 10_000, minimum: 320 } as const

/** Seals past days, and drops those beyond the retention: periodically, after many results, and on demand. */
export function startMaintenance(writer: WorkerHandle<Writer>, { clock, log, dropped }: MaintenanceOptions) {
  let closed = false
  let retentionDays = Number.POSITIVE_INFINITY
  let evidenceDays = Number.POSITIVE_INFINITY
  let sealing: Promise<unknown> | null = null
  let resultsSinceCheck: number = sealCheck.results
  let dropping: Promise<unknown> = Promise.resolve()
  let drops = 0
  const isPaused = createRetentionPause({ clock, log })

  const seal = async (wanted: Omit<SealOrder, 'upTo'>) => {
    const order = { ...wanted, upTo: await writer.call('lastSegment', []) }
    while (!closed && (await writer.call('sealSome', [order])));
  }
  const drop = async () => {
    if (retentionDays === Number.POSITIVE_INFINITY || isPaused()) return
    const firstDay = dayOf(clock()) - retentionDays
    await seal({ startedBefore: startOfDay(firstDay), minResults: 1 })
    const dropAll = dropDays(firstDay)
    dropping = Promise.allSettled([dropping, dropAll])
    const days = await dropAll
    if (days > 0) dropped(days)
  }
  const dropEvidence = async () => {
    if (evidenceDays === Number.POSITIVE_INFINITY || isPaused()) return
    const before = startOfDay(dayOf(clock()) - evidenceDays)
    while (!closed && (await writer.call('dropEvidence', [before])));
  }
  const dropDays = async (firstDay: number): Promise<number> => {
    for (let days = 0; ; days++) {
      if (closed || !(await writer.call('dropOne', [firstDay]))) return days
      drops++
    }
  }
  const run = async () => {
    await seal({ startedBefore: startOfDay(dayOf(clock())), minResults: 1 })
    await dropEvidence()
    await drop()
  }
  const inBackground = (work: Promise<void>) => work.catch((problem) => closed || log(problem))
  const timers = [setTimeout(() => inBackground(run()), firstRunMs).unref(), setInterval(() => inBackground(run()), intervalMs).unref()]

  return {
    run,
    sealAll: () => seal({ startedBefore: Number.MAX_SAFE_INTEGER, minResults: 1 }),
    /** Changes whenever results are dropped; waits for drops in progress. */
    async dropGeneration(): Promise<number> {
      await dropping
      return drops
    },
    async expiring(days: number): Promise<Expiring> {
      const firstDay = dayOf(clock()) - days
      await seal({ startedBefore: startOfDay(firstDay), minResults: 1 })
      return writer.call('expiring', [firstDay])
    },
    applyRetention(days: number): Promise<void> {
      retentionDays = days
      return drop()
    },
    applyEvidenceRetention(days: number): Promise<void> {
      evidenceDays = days
      return dropEvidence()
    },
    afterCommit(results: number): void {
      resultsSinceCheck += Math.max(results, sealCheck.minimum)
      if (resultsSinceCheck < sealCheck.results) return
      resultsSinceCheck = 0
      sealing ??= inBackground(seal({ startedBefore: clock() - minuteMs, minResults: minResultsToSeal })).finally(() => {
        sealing = null
      })
    },
    async close(): Promise<void> {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      await sealing
    },
  }
}
