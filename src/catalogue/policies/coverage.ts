import type { Config } from '../config-file/parse.ts'
import { type AlertRule, fallbackChannel, type Policies, ruleSelector, selector } from './policies.ts'

/** Gaps in the alerts of an account, which are not faults. Lists ids of checks, channels and rules, and names of locations. */
export type AlertGaps = {
  readonly account: string
  /** Active, unmuted checks whose failures no rule alerts on. Empty if the account has no rules. */
  readonly checks: readonly string[]
  /** Channels that no rule notifies. */
  readonly channels: readonly string[]
  /** Locations with canaries where no check runs. */
  readonly canaries: readonly string[]
  /** `silent` rules that select no check with a location, so that they never alert. */
  readonly silentRules: readonly string[]
}

export function alertGaps({ accounts, checks, policies }: Pick<Config, 'accounts' | 'checks' | 'policies'>): readonly AlertGaps[] {
  return accounts.flatMap(({ id: account }) => {
    const own = policies.get(account)
    if (!own) return []
    const ofAccount = checks.filter((check) => check.account === account)
    const known = new Set(ofAccount.flatMap(({ locations }) => locations))
    const notified = new Set([fallbackChannel, ...own.alerts.flatMap(({ steps }) => steps.flatMap(({ to }) => to))])
    const covering = own.alerts.flatMap((rule) => coverage(rule, own))
    const uncovered = ofAccount.filter((check) => check.activated && !check.muted && !covering.some((covers) => covers(check)))
    return [
      {
        account,
        checks: own.alerts.length === 0 ? [] : uncovered.map(({ id }) => id),
        channels: own.channels.map(({ id }) => id).filter((id) => !notified.has(id)),
        silentRules: own.alerts.filter((rule) => isMute(rule, ofAccount)).map(({ id }) => id),
        canaries: own.canaries.map(({ location }) => location).filter((location) => !known.has(location)),
      },
    ]
  })
}

/** Ping checks have no locations, so rules about silence ignore them. */
function isMute(rule: AlertRule, checks: Config['checks']): boolean {
  return rule.when.kind === 'silent' && !checks.filter(ruleSelector(rule)).some(({ locations }) => locations.length > 0)
}

type Covers = ReturnType<typeof ruleSelector>

/** Selects the checks whose failures a rule alerts on. Slow or silent checks and expiring certificates are not failures. */
function coverage(rule: AlertRule, { slos }: Policies): readonly Covers[] {
  const { when } = rule
  if (when.kind === 'failing') return [ruleSelector(rule)]
  if (when.kind !== 'sloBurn') return []
  const [named, selected] = [new Set(when.slos), ruleSelector(rule)]
  const ofSlos = slos.filter(({ id }) => when.slos.length === 0 || named.has(id)).map(selector)
  return [(check) => selected(check) && ofSlos.some((covers) => covers(check))]
}
