import { setTimeout as sleep } from 'node:timers/promises'
import { createSerialQueue } from '../../concurrency/serial-queue.ts'
import type { RowStore, VersionedRow } from '../../store/coordination.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { WorkerHandle } from '../../store/threads/worker.ts'
import { type AlertRow, keptMs, type PreviewedCall } from '../outbox/alert-rows.ts'
import type { SharedAlertDatabase } from '../outbox/shared-alert-database.ts'

/** The leadership of this process: its term, and whether it still leads. */
export type Leading = {
  readonly term: number
  isValid(): boolean
  /** Aborted once the lease is lost. */
  readonly signal: AbortSignal
}

type ReplicaOptions = {
  readonly database: WorkerHandle<SharedAlertDatabase>
  readonly rows: RowStore
  readonly now: () => number
  /** Called once rows of other processes are applied. */
  readonly onApplied: (rows: readonly VersionedRow[]) => Promise<void>
  readonly onFailure: (error: unknown) => void
}

/** How many versions each term has. */
const versionsPerTerm = 2 ** 32
const rowsAtOnce = 1000
const retryMs = 1000
/** Limits the statement: void rows of older terms were deleted by earlier leaders. */
const voidsAtOnce = 100

/** The first row of a term: rows of earlier terms count up to the version `from`. */
const termKind = 'terms'

/** A replica of the alerts of all processes. Applies the rows of the leader; as the leader, writes them. */
export function createReplica({ database, rows, now, onApplied, onFailure }: ReplicaOptions) {
  /** The last valid version of earlier terms, by the term that recorded it. */
  const cuts = new Map<number, number>()
  let position: number | null = null
  const exclusively = createSerialQueue()

  /** Versions that were written too late: their term was over, and the next leader had not seen them. */
  const voids = () => Array.from(cuts, ([term, from]) => ({ after: from, before: term * versionsPerTerm }))
  const voidAround = (version: number) => voids().find(({ after, before }) => version > after && version < before)
  const isVoid = (version: number) => voidAround(version) !== undefined
  /** The version itself, or the end of the void versions around it: a replica that has skipped void rows is not at one of them. */
  function pastVoids(version: number): number {
    const around = voidAround(version)
    return around ? pastVoids(around.before) : version
  }
  /** A replica this old may hold void rows that can no longer be recognised. Rows that are read now are not: void ones were deleted. */
  const isForgotten = (version: number) => version > 0 && !cuts.has(Math.floor(version / versionsPerTerm))
  function noteTerms(found: readonly VersionedRow[]): void {
    for (const { kind, key, body } of found)
      if (kind === termKind) cuts.set(Number(key), (JSON.parse(body) as { readonly from: number }).from)
  }

  async function open(): Promise<number> {
    noteTerms(await rows.ofKind(termKind))
    const at = await database.call('position', [])
    return isForgotten(at) ? database.call('clear', [at]) : at
  }

  /**
   * Content from before the folder was a replica counts only if no process has written any rows yet. A folder with void rows is emptied.
   * Several processes may share a folder, so it may have reached another version than expected.
   */
  async function catchUp(): Promise<number> {
    let at = position ?? (await open())
    for (;;) {
      const found = await rows.after(at, rowsAtOnce)
      noteTerms(found)
      const to = pastVoids(found.at(-1)?.version ?? at)
      if (isVoid(at) || (at === 0 && to > 0)) {
        const reached = await database.call('clear', [at])
        if (reached !== at) {
          at = reached
          continue
        }
      }
      if (to === at) break
      const counting = found.filter(({ kind, version }) => kind !== termKind && !isVoid(version))
      const { reached, changed } = await database.call('applyRows', [{ from: at, to, rows: counting }])
      const isChanged = new Set(changed)
      if (isChanged.size > 0) await onApplied(counting.filter(({ version }) => isChanged.has(version)))
      at = reached < at ? reached : to
    }
    position = at
    return at
  }

  /**
   * Repeats work that failed until it succeeds or the lease is lost. A failed write may have been stored, and other processes may have
   * applied what was: any other decision would be sent in addition.
   */
  async function untilDone<T>(work: () => Promise<T>, leading: Leading): Promise<T> {
    let onLost = () => {}
    const lost = new Promise<never>((_, reject) => {
      onLost = () => reject(notLeading())
    })
    lost.catch(() => {})
    leading.signal.addEventListener('abort', onLost, { once: true })
    try {
      for (;;) {
        requireLease(leading)
        try {
          return await Promise.race([work(), lost])
        } catch (error) {
          if (leading.signal.aborted) throw notLeading()
          onFailure(error)
          await sleep(retryMs, undefined, { ref: false })
        }
      }
    } finally {
      leading.signal.removeEventListener('abort', onLost)
    }
  }
  const insert = (written: readonly VersionedRow[], leading: Leading) => untilDone(() => rows.write(written), leading)
  const apply = (from: number, written: readonly VersionedRow[], to: number, leading: Leading) =>
    untilDone(() => database.call('applyRows', [{ from, to, rows: written }]), leading)

  /** Rows count once they are in the database, and this process still leads. Its own replica must then have them, too. */
  async function publish(changed: readonly AlertRow[], leading: Leading): Promise<void> {
    const from = position ?? 0
    const first = Math.max(from, leading.term * versionsPerTerm) + 1
    const written = changed.map((row, i) => ({ ...row, version: first + i }))
    await insert(written, leading)
    const to = first + written.length - 1
    await apply(from, written, to, leading)
    position = to
  }

  return {
    /** Applies rows of other processes; returns the version that is reached. */
    catchUp: () => exclusively(catchUp),
    position: () => position ?? 0,
    /** Deletes expired and void rows. */
    expire: () => rows.expire(now(), voids().slice(-voidsAtOnce)),
    /**
     * Begins a term: earlier rows that were not seen become void, and rows that decisions depend on are written again with versions of
     * this term.
     */
    begin: (leading: Leading) =>
      exclusively(async () => {
        const from = await catchUp()
        const isFirst = cuts.size === 0
        if (!cuts.has(leading.term)) {
          const version = leading.term * versionsPerTerm
          const expiresAt = now() + keptMs
          await insert([{ kind: termKind, key: String(leading.term), version, expiresAt, body: JSON.stringify({ from }) }], leading)
          await apply(from, [], version, leading)
          position = version
          cuts.set(leading.term, from)
        }
        for (let place: { table: number; after: number } | null = { table: 0, after: 0 }; place; ) {
          const page: Awaited<ReturnType<SharedAlertDatabase['rowsFrom']>> = await database.call('rowsFrom', [
            place,
            isFirst ? 'all' : 'live',
            rowsAtOnce,
          ])
          if (page.rows.length > 0) await publish(page.rows, leading)
          place = page.next
        }
      }),
    /** Changes the alerts of all processes; returns the result of the first call. */
    write: (calls: readonly PreviewedCall[], leading: Leading): Promise<unknown> =>
      exclusively(async () => {
        requireLease(leading)
        const { values, rows: changed } = await database.call('preview', [calls, now()])
        if (changed.length > 0) await publish(changed, leading)
        return values[0]
      }),
  }
}

function requireLease({ isValid }: Leading): void {
  if (!isValid()) throw notLeading()
}

const notLeading = () =>
  new StoreUnavailable('This process no longer leads alerts.', 5, {
    publicReason: 'Another process is taking over alerts. Try again in a few seconds.',
  })
