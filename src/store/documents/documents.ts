import { StacklessError } from '../../text/stackless-error.ts'
import { dayMs, hourMs } from '../../time.ts'
import { StoreUnavailable } from '../store.ts'
import {
  type Author,
  type DocumentLog,
  type DocumentRef,
  documentKey,
  isAfter,
  type LoggedVersion,
  type LogPlace,
  logStart,
  type RecordQuery,
  type VersionRecord,
} from './document-log.ts'
import { createUsage, type DocumentUsage, type Excess, growthOf, type LimitOf } from './usage.ts'

/** Documents written over the API, with all of their versions. Each write is a compare-and-set across processes. */
export type Documents = {
  /** The newest version that this process has seen, including recently deleted documents. */
  head(ref: DocumentRef): LoggedVersion | undefined
  /** As `head`, but also finds documents deleted long ago, so that their version numbers are not reused. */
  recall(ref: DocumentRef): Promise<LoggedVersion | undefined>
  heads(): readonly LoggedVersion[]
  /** The versions that deleted documents of a kind and account since an instant, newest first. Only those still in memory. */
  deletedSince(owner: Pick<DocumentRef, 'kind' | 'account'>, since: number): readonly LoggedVersion[]
  usage(owner: Pick<DocumentRef, 'kind' | 'account'>): DocumentUsage
  /** The limit that these changes would exceed if they were written together now; null if they fit. */
  excess(changes: readonly DocumentChange[], limitOf: LimitOf): Excess | null
  /**
   * Writes all changes. Writes none and returns null if a document is no longer at its expected version. Throws `OverLimit` if an account
   * would exceed a limit, and any error that `judge` throws.
   */
  write(changes: readonly DocumentChange[], author: Author, rules?: WriteRules): Promise<readonly LoggedVersion[] | null>
  /** Calls the listener with new versions of all processes, in log order; returns an unsubscribe function. */
  onWritten(listener: (versions: readonly LoggedVersion[]) => void): () => void
  /** Reads versions that other processes have written. */
  refresh(): Promise<void>
  /** Drops old versions; also runs every few hours. */
  expire(): Promise<void>
  /** Newest first. */
  records(query: RecordQuery): Promise<readonly VersionRecord[]>
  version(ref: DocumentRef, version: number): Promise<LoggedVersion | null>
  /** All versions, in log order. */
  after(place: LogPlace, limit: number): Promise<readonly LoggedVersion[]>
  /** Adds versions of another store that are newer than the local ones; returns how many. */
  addVersions(versions: readonly LoggedVersion[]): Promise<number>
  close(): Promise<void>
}

type WriteRules = {
  readonly limitOf?: LimitOf
  /** Throws if other documents conflict. Runs in the critical section, when all earlier versions of all processes are known. */
  readonly judge?: () => void
}

/** An account would exceed its limit of documents or characters of a kind. */
export class OverLimit extends StacklessError {
  override readonly name = 'OverLimit'
  readonly kind: string
  readonly what: keyof DocumentUsage
  constructor({ kind, what }: Excess) {
    super(`Too many ${what === 'count' ? 'documents' : 'characters'} of the kind ${kind}.`)
    this.kind = kind
    this.what = what
  }
}

export type DocumentHome = { readonly documents: Documents }

export type DocumentChange = DocumentRef & {
  /** The version that this change is based on; 0 for a document that has never existed. */
  readonly expected: number
  readonly action: string
  readonly changes: string
  readonly body: string | null
}

type DocumentsOptions = {
  readonly clock: () => number
  readonly log: (problem: unknown) => void
  /** Number of deleted documents kept in memory; others are read from the log when needed. */
  readonly maxDeleted?: number
}

type Waiting = {
  readonly draft: readonly Draft[]
  readonly rules: WriteRules
  readonly resolve: (written: readonly LoggedVersion[] | null) => void
  readonly reject: (problem: unknown) => void
}
/** `expected` is null for a copied version, which replaces any older one. */
type Draft = { readonly expected: number | null; readonly version: Unplaced }
type Unplaced = Omit<LoggedVersion, keyof LogPlace>

const rowsPerRead = 500
/** Limit of rows per append, so that no writer waits long for others. */
const maxRows = 1000
const maxBytes = 8 * 2 ** 20
const maxWaiting = 10_000
/** Each retry means that another process took the position first. */
const maxTries = 50
const pollMs = 1000
const expireEveryMs = 6 * hourMs
const keptDays = 400
const keptPerAccount = 1_000_000

export async function openDocuments(log: DocumentLog, options: DocumentsOptions): Promise<Documents> {
  const { clock, log: report, maxDeleted = 10_000 } = options
  const heads = new Map<string, LoggedVersion>()
  const usage = createUsage()
  /** Keys of deleted documents in `heads`, oldest first. */
  const deleted = new Set<string>()
  let hasForgotten = false
  const listeners = new Set<(versions: readonly LoggedVersion[]) => void>()
  const queue: Waiting[] = []
  let last: LogPlace = logStart
  let isUncertain = false
  let isDraining = false
  let drained: Promise<void> = Promise.resolve()
  let reading: Promise<void> = Promise.resolve()
  let failed = ''
  const timers: NodeJS.Timeout[] = []

  /** Skips versions that a concurrent poll has already applied. */
  function apply(versions: readonly LoggedVersion[]): void {
    const unseen = versions.filter((version) => isAfter(version, last))
    for (const version of unseen) setHead(version)
    last = unseen.at(-1) ?? last
    if (unseen.length > 0) for (const listener of listeners) listener(unseen)
  }

  function setHead(version: LoggedVersion): void {
    const key = documentKey(version)
    usage.replace(version, heads.get(key), version)
    heads.set(key, version)
    deleted.delete(key)
    if (version.body === null) deleted.add(key)
    const [oldest] = deleted
    if (deleted.size <= maxDeleted || oldest === undefined) return
    deleted.delete(oldest)
    heads.delete(oldest)
    hasForgotten = true
  }

  async function recall(ref: DocumentRef): Promise<LoggedVersion | undefined> {
    if (!heads.has(documentKey(ref)) && hasForgotten) {
      const [found] = await log.records({ ...ref, before: null, limit: 1 })
      // A version after `last` was written by another process; `refresh` applies it in order.
      if (found && !isAfter(found, last) && !heads.has(documentKey(ref))) setHead({ ...found, body: null })
    }
    return heads.get(documentKey(ref))
  }

  async function load(): Promise<void> {
    for (let from = logStart; ; ) {
      const page = await log.heads(from, rowsPerRead)
      if (page.length === 0) return
      apply(page)
      from = page.at(-1) ?? from
    }
  }

  /** Serialized: overlapping reads would apply versions twice. */
  function refresh(): Promise<void> {
    reading = reading.catch(() => {}).then(readNew)
    return reading
  }

  async function readNew(): Promise<void> {
    for (;;) {
      const page = await log.after(last, rowsPerRead)
      if (page.length === 0) break
      apply(page)
    }
    isUncertain = false
  }

  async function drain(): Promise<void> {
    isDraining = true
    while (queue.length > 0) {
      const together = dequeue(queue)
      await commit(together).catch((problem) => {
        isUncertain = true
        for (const { reject } of together) reject(problem)
      })
    }
    isDraining = false
  }

  async function commit(together: readonly Waiting[]): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      if (log.isShared || isUncertain) await refresh()
      const { accepted, refused, versions } = plan(together)
      if (versions.length > 0 && !(await log.append(versions))) continue
      apply(versions)
      for (const waiting of together) {
        if (refused.has(waiting)) waiting.reject(refused.get(waiting))
        else waiting.resolve(accepted.get(waiting) ?? null)
      }
      return
    }
    throw new StoreUnavailable('Other processes write at the same time.', 2)
  }

  /** Plans the calls that can be written now, at the next position of the log. */
  function plan(together: readonly Waiting[]) {
    const position = last.position + 1
    const versions: LoggedVersion[] = []
    const planned = new Map<string, LoggedVersion>()
    const accepted = new Map<Waiting, readonly LoggedVersion[]>()
    const refused = new Map<Waiting, unknown>()
    const take = usage.plan()
    const current = (ref: DocumentRef) => planned.get(documentKey(ref)) ?? heads.get(documentKey(ref))
    for (const waiting of together) {
      const { draft, rules } = waiting
      const isPossible = ({ expected, version }: Draft) => {
        const before = current(version)?.version ?? 0
        return expected === null ? version.version > before : expected === before
      }
      if (!draft.every(isPossible)) continue
      try {
        rules.judge?.()
      } catch (problem) {
        refused.set(waiting, problem)
        continue
      }
      const over = take(
        draft.map(({ version }) => ({ owner: version, growth: growthOf(current(version), version) })),
        rules.limitOf ?? withoutLimit,
      )
      if (over) {
        refused.set(waiting, new OverLimit(over))
        continue
      }
      const own = draft.map(({ version }, index) => ({ ...version, position, ordinal: versions.length + index + 1 }))
      for (const one of own) planned.set(documentKey(one), one)
      versions.push(...own)
      accepted.set(waiting, own)
    }
    return { accepted, refused, versions }
  }

  function add(draft: readonly Draft[], rules: WriteRules): Promise<readonly LoggedVersion[] | null> {
    if (queue.length >= maxWaiting) return Promise.reject(new StoreUnavailable('Changes arrive faster than they can be stored.', 2))
    return new Promise((resolve, reject) => {
      queue.push({ draft, rules, resolve, reject })
      if (!isDraining) drained = drain()
    })
  }

  /** Reports a repeated failure once; a success resets this. */
  const logFailure = (work: Promise<void>) =>
    work.then(
      () => {
        failed = ''
      },
      (problem) => {
        const text = String(problem)
        if (text !== failed) report(problem)
        failed = text
      },
    )
  const every = (ms: number, work: () => Promise<void>) => void timers.push(setInterval(() => void logFailure(work()), ms).unref())
  const expire = () => log.expire(clock() - keptDays * dayMs, keptPerAccount)

  await load()
  every(expireEveryMs, expire)
  return {
    head: (ref) => heads.get(documentKey(ref)),
    recall,
    heads: () => [...heads.values()],
    deletedSince: ({ kind, account }, since) =>
      [...deleted]
        .flatMap((key) => heads.get(key) ?? [])
        .filter((version) => version.kind === kind && version.account === account && version.at >= since)
        .sort((a, b) => (isAfter(a, b) ? -1 : 1)),
    usage: usage.of,
    excess: (changes, limitOf) =>
      usage.plan()(
        changes.map((change) => ({ owner: change, growth: growthOf(heads.get(documentKey(change)), change) })),
        limitOf,
      ),
    write(changes, author, rules = {}) {
      const now = Math.floor(clock())
      // A version is never older than its predecessor, even if the clock was set back.
      const atOf = (ref: DocumentRef) => Math.max(now, heads.get(documentKey(ref))?.at ?? 0)
      return add(
        changes.map(({ expected, ...change }) => ({
          expected,
          version: { ...change, ...author, version: expected + 1, at: atOf(change) },
        })),
        rules,
      )
    },
    onWritten(listener) {
      if (log.isShared && timers.length === 1) every(pollMs, refresh)
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    refresh,
    expire,
    records: log.records,
    version: log.version,
    after: log.after,
    async addVersions(versions) {
      const newer: LoggedVersion[] = []
      for (const version of versions) if (version.version > ((await recall(version))?.version ?? 0)) newer.push(version)
      const added = await Promise.all(newer.map((version) => add([{ expected: null, version }], {})))
      return added.filter((written) => written !== null).length
    },
    async close() {
      for (const timer of timers.splice(0)) clearInterval(timer)
      await drained
      await reading.catch(() => {})
      await log.close()
    },
  }
}

const withoutLimit: LimitOf = () => null

function dequeue(queue: Waiting[]): readonly Waiting[] {
  let end = 0
  for (let rows = 0, bytes = 0; end < queue.length; end++) {
    const { draft } = queue[end] ?? { draft: [] }
    rows += draft.length
    bytes += draft.reduce((sum, { version }) => sum + (version.body?.length ?? 0), 0)
    if (rows > maxRows || bytes > maxBytes) break
  }
  return queue.splice(0, Math.max(1, end))
}
