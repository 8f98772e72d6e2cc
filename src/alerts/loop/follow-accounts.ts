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

/** Follows the results of accounts that have rules or undelivered messages. */
export function followAccounts({ catalogue, store, now, log, stored, planOf, open, onSeeded, onRedefined }: FollowOptions) {
  const accounts = new Map<string, AccountAlerts>()
  const stops: (() => void)[] = []

  async function seed(account: string, alerts: AccountAlerts, isWanted: (id: string) => boolean): Promise<void> {
    const quorumsOf = (check: Check) => [...new Set((alerts.plan().rulesOf.get(check.id) ?? []).map(({ quorum }) => quorum))]
    const options = { store, tracker: alerts.tracker, quorumsOf, now }
    try {
      await seedFacts(
        catalogue.checks(account).filter(({ id }) => isWanted(id)),
        options,
      )
      for (const id of alerts.tracker.uncertain().filter(isWanted)) {
        const check = catalogue.check(account, id)
        if (check) await seedCheck(check, options)
      }
    } catch (error) {
      log.error({ err: error, account }, 'Could not read the states of checks; alerts start with the next results.')
    }
  }

  /** Buffers results that arrive while the states of the account are being read. */
  function begin(account: string): void {
    const alerts = open(account)
    accounts.set(account, alerts)
    const buffered: FiledResult[] = []
    let isSeeded = false
    stops.push(
      store.onAppended(account, (added) => {
        if (isSeeded) alerts.add(added)
        else buffered.push(...added)
      }),
    )
    void seed(account, alerts, (id) => alerts.plan().rulesOf.has(id)).then(() => {
      isSeeded = true
      alerts.add(buffered.splice(0))
      onSeeded(account)
      return alerts.review('all')
    })
  }

  /** Reads the states of checks that rules did not watch before. Results that arrive meanwhile are added again. */
  async function seedAdded(account: string, alerts: AccountAlerts, before: AlertPlan): Promise<void> {
    const added = new Set([...alerts.plan().rulesOf.keys()].filter((id) => !before.rulesOf.has(id)))
    if (added.size === 0) return
    const arrived: FiledResult[] = []
    const stop = store.onAppended(account, (results) => {
      for (const filed of results) if (added.has(filed.check.checkId)) arrived.push(filed)
    })
    await seed(account, alerts, (id) => added.has(id))
    stop()
    alerts.add(arrived)
  }

  return {
    accounts: accounts as ReadonlyMap<string, AccountAlerts>,
    /** Applies the current config file. */
    follow(): void {
      const left = new Set(stored.incidents.map(({ account }) => account))
      for (const account of new Set([...catalogue.accountsWithChecks(), ...left, ...accounts.keys()])) {
        const known = accounts.get(account)
        if (known) {
          const before = known.plan()
          known.redefine(planOf(account))
          void seedAdded(account, known, before)
          onRedefined(account, known.plan())
        } else if (catalogue.policies(account).alerts.length > 0 || left.has(account)) begin(account)
      }
    },
    async close(): Promise<void> {
      for (const stop of stops) stop()
      await Promise.all(Array.from(accounts.values(), (alerts) => alerts.close()))
    },
  }
}
