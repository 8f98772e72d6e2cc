import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import type { Policies } from '../../catalogue/policies/policies.ts'
import { backoffMs } from '../../concurrency/backoff.ts'
import { createOnDemand } from '../../concurrency/on-demand.ts'
import type { FiledResult, Store } from '../../store/store.ts'
import { minuteMs } from '../../time.ts'
import type { AlertPlan } from '../decide/plan.ts'
import type { StoredAccounts } from '../outbox/alert-records.ts'
import type { AccountAlerts } from './account-alerts.ts'
import type { Log } from './alert-service.ts'
import { seedFacts } from './seed-facts.ts'

type FollowOptions = {
  readonly catalogue: Catalogue
  readonly store: Pick<Store, 'latest' | 'results' | 'outages' | 'onAppended'>
  readonly now: () => number
  readonly log: Log
  readonly stored: Pick<StoredAccounts, 'incidents'>
  readonly planOf: (account: string) => AlertPlan
  readonly open: (account: string) => AccountAlerts
  /** Called once the states of an account are known. */
  readonly onSeeded: (account: string) => void
  /** Called when the config file has changed. */
  readonly onRedefined: (account: string, plan: AlertPlan, before: AlertPlan) => void
}

/** The store may skip results again and again while others arrive in a flood. */
const skippedPauseMs = 5000
/** Checks with damaged results that are logged one by one. */
const maxLogged = 20

type PlanSource = { readonly policies: Policies; readonly checks: readonly Check[]; readonly name: string | undefined }
type IsWanted = (checkId: string) => boolean

/** Follows the results of accounts that have rules or undelivered messages. */
export function followAccounts({ catalogue, store, now, log, stored, planOf, open, onSeeded, onRedefined }: FollowOptions) {
  const accounts = new Map<string, AccountAlerts>()
  /** What the current plan of each account is made from. */
  const sources = new Map<string, PlanSource>()
  const stops: (() => void)[] = []
  const closing = new AbortController()
  const { signal } = closing

  /** Each write of a managed check calls `follow`, and to decide thousands of checks again takes long. */
  function hasChanged(account: string): boolean {
    const source = { policies: catalogue.policies(account), checks: catalogue.checks(account), name: catalogue.account(account)?.name }
    const before = sources.get(account)
    sources.set(account, source)
    return (
      before?.policies !== source.policies ||
      before.name !== source.name ||
      before.checks.length !== source.checks.length ||
      before.checks.some((check, i) => check !== source.checks[i])
    )
  }

  /** Reads the states of checks; false if that failed. Those whose results are damaged are left out. */
  async function seed(account: string, alerts: AccountAlerts, isWanted: IsWanted, failures = 0): Promise<boolean> {
    const quorumsOf = (check: Check) => [...new Set((alerts.plan().rulesOf.get(check.id) ?? []).map(({ quorum }) => quorum))]
    const wanted = catalogue.checks(account).filter(({ id }) => isWanted(id))
    try {
      const unread = await seedFacts(wanted, { store, tracker: alerts.tracker, quorumsOf, now, signal })
      for (const { check, error } of unread.slice(0, maxLogged))
        log.error({ err: error, account, check: check.id }, 'Could not read the state of a check; alerts start with its next results.')
      if (unread.length > maxLogged) log.error({ account }, `Could not read the states of ${unread.length - maxLogged} more checks.`)
      return true
    } catch (error) {
      if (failures === 0 && !signal.aborted)
        log.error({ err: error, account }, 'Could not read the states of checks; retrying. Until then, alerts start with the next results.')
      return false
    }
  }

  /** As `seed`, until it succeeds, for an account that is followed meanwhile: results that arrive during a read are added again. */
  async function seedWhileFollowing(account: string, alerts: AccountAlerts, isWanted: IsWanted, failures = 0): Promise<void> {
    if (failures > 0) await sleep(backoffMs(failures, { maxMs: minuteMs }), undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return
    const arrived: FiledResult[] = []
    const stop = store.onAppended(account, (results) => {
      for (const filed of results) if (isWanted(filed.check.checkId)) arrived.push(filed)
    })
    const isSeeded = await seed(account, alerts, isWanted, failures)
    stop()
    alerts.add(arrived)
    if (!isSeeded) await seedWhileFollowing(account, alerts, isWanted, failures + 1)
  }

  /** Buffers results that arrive while the states of the account are being read. Reads checks whose results the store has skipped. */
  function begin(account: string): void {
    const alerts = open(account)
    accounts.set(account, alerts)
    const buffered: FiledResult[] = []
    const skippedChecks = new Set<string>()
    let isSeeded = false
    const isWatched: IsWanted = (id) => alerts.plan().rulesOf.has(id)
    const readSkipped = async () => {
      const ids = new Set([...skippedChecks].filter(isWatched))
      skippedChecks.clear()
      if (ids.size > 0) await seedWhileFollowing(account, alerts, (id) => ids.has(id))
    }
    const pause = () => sleep(skippedPauseMs, undefined, { signal, ref: false }).catch(() => {})
    const seedSkipped = createOnDemand({ act: readSkipped, pause, signal })
    stops.push(
      store.onAppended(account, (added, skipped) => {
        for (const id of skipped?.byCheck.keys() ?? []) skippedChecks.add(id)
        if (isSeeded) {
          alerts.add(added)
          if (skippedChecks.size > 0) seedSkipped()
        } else buffered.push(...added)
      }),
    )
    void seed(account, alerts, isWatched).then((isRead) => {
      isSeeded = true
      if (isRead) alerts.startWatching()
      else void seedWhileFollowing(account, alerts, isWatched, 1).then(alerts.startWatching)
      alerts.add(buffered.splice(0))
      if (skippedChecks.size > 0) seedSkipped()
      onSeeded(account)
      return alerts.review('all')
    })
  }

  /** Reads the states of checks that rules did not watch before. */
  function seedAdded(account: string, alerts: AccountAlerts, before: AlertPlan): void {
    const added = new Set([...alerts.plan().rulesOf.keys()].filter((id) => !before.rulesOf.has(id)))
    if (added.size > 0) void seedWhileFollowing(account, alerts, (id) => added.has(id))
  }

  return {
    accounts: accounts as ReadonlyMap<string, AccountAlerts>,
    /** Applies the current config file. */
    follow(): void {
      const left = new Set(stored.incidents.map(({ account }) => account))
      for (const account of new Set([...catalogue.accountsWithChecks(), ...left, ...accounts.keys()])) {
        const known = accounts.get(account)
        const isChanged = hasChanged(account)
        if (known && isChanged) {
          const before = known.plan()
          known.redefine(planOf(account))
          seedAdded(account, known, before)
          onRedefined(account, known.plan(), before)
        } else if (!known && (catalogue.policies(account).alerts.length > 0 || left.has(account))) begin(account)
      }
    },
    async close(): Promise<void> {
      closing.abort()
      for (const stop of stops) stop()
      await Promise.all(Array.from(accounts.values(), (alerts) => alerts.close()))
    },
  }
}
