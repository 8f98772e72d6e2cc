import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import type { FiledResult, Store } from '../../store/store.ts'
import type { AlertPlan } from '../decide/plan.ts'
import type { StoredAccounts } from '../outbox/alert-records.ts'
import type { AccountAlerts } from './account-alerts.ts'
import type { Log } from './alert-service.ts'
import { seedCheck, seedFacts } from './seed-facts.ts'

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
  readonly onRedefined: (account: string, plan: AlertPlan) => void
}

/** At least this time passes between two reads of the states of an account. */
const readAgainMs = 10_000

/** Follows the results of accounts that have rules or undelivered messages. */
export function followAccounts({ catalogue, store, now, log, stored, planOf, open, onSeeded, onRedefined }: FollowOptions) {
  const accounts = new Map<string, AccountAlerts>()
  const stops: (() => void)[] = []
  const closing = new AbortController()

  /** Reads the states of checks; false if that fails. */
  async function seed(account: string, alerts: AccountAlerts, isWanted: (id: string) => boolean): Promise<boolean> {
    const quorumsOf = (check: Check) => [...new Set((alerts.plan().rulesOf.get(check.id) ?? []).map(({ quorum }) => quorum))]
    const options = { store, tracker: alerts.tracker, quorumsOf, now }
    try {
      await seedFacts(
        catalogue.checks(account).filter(({ id }) => alerts.plan().rulesOf.has(id) && isWanted(id)),
        options,
      )
      for (const id of alerts.tracker.uncertain()) {
        const check = catalogue.check(account, id)
        if (check) await seedCheck(check, options)
      }
      return true
    } catch (error) {
      log.error({ err: error, account }, 'Could not read the states of checks; retrying.')
      return false
    }
  }

  /** Buffers results that arrive while the states of the account are being read. */
  function begin(account: string): void {
    const alerts = open(account)
    accounts.set(account, alerts)
    const buffered: FiledResult[] = []
    /** Checks whose results were skipped, because other processes stored more than can be read, or whose states could not be read. */
    const unread = new Set<string>()
    let isReading = true
    let isReadingAgain = false
    stops.push(
      store.onAppended(account, (added, missed) => {
        if (isReading) buffered.push(...added)
        else alerts.add(added)
        for (const id of missed?.byCheck.keys() ?? []) unread.add(id)
        if (unread.size > 0 && !isReading) void readAgain()
      }),
    )
    const addBuffered = () => {
      isReading = false
      alerts.add(buffered.splice(0))
    }

    async function readAgain(): Promise<void> {
      if (isReadingAgain) return
      isReadingAgain = true
      while (unread.size > 0 && !closing.signal.aborted) {
        const ids = new Set(unread)
        unread.clear()
        isReading = true
        if (!(await seed(account, alerts, (id) => ids.has(id)))) for (const id of ids) unread.add(id)
        addBuffered()
        await sleep(readAgainMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      }
      isReadingAgain = false
    }

    void seed(account, alerts, () => true).then((isRead) => {
      if (!isRead) for (const id of alerts.plan().rulesOf.keys()) unread.add(id)
      addBuffered()
      onSeeded(account)
      void alerts.review('all')
      return readAgain()
    })
  }

  return {
    accounts: accounts as ReadonlyMap<string, AccountAlerts>,
    /** Applies the current config file. */
    follow(): void {
      const left = new Set(stored.incidents.map(({ account }) => account))
      for (const account of new Set([...catalogue.accountsWithChecks(), ...left])) {
        const known = accounts.get(account)
        if (known) {
          known.redefine(planOf(account))
          onRedefined(account, known.plan())
        } else if (catalogue.policies(account).alerts.length > 0 || left.has(account)) begin(account)
      }
    },
    async close(): Promise<void> {
      closing.abort()
      for (const stop of stops) stop()
      await Promise.all(Array.from(accounts.values(), (alerts) => alerts.close()))
    },
  }
}
