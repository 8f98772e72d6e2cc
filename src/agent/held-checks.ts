import { type Check, refOf } from '../catalogue/catalogue.ts'
import { defaultLimits } from '../catalogue/definitions.ts'
import type { CheckType } from '../checks/define.ts'
import { checkKey } from '../ids/check-ref.ts'
import { type Assignment, checkFromServer, type SentCheck } from '../locations/protocol.ts'
import type { RunnerLog } from '../runner/log.ts'
import type { RunnerCatalogue } from '../runner/runner.ts'
import type { HeldScripts, ScriptCache } from './script-cache.ts'

/** The checks that an agent was given last, as a catalogue for its runner. */
type HeldChecks = {
  readonly catalogue: RunnerCatalogue
  set(assignment: Assignment): void
  /** The scripts of the check that has these settings; undefined where its runs need none. */
  scriptsOf(settings: Check['settings']): HeldScripts | undefined
  /** Whether checks are left out because their scripts have not come. */
  isIncomplete(): boolean
  /** Since when the slots of a check are this agent's. */
  since(check: Check): number | null
}

type Options = {
  readonly checkTypes: readonly CheckType[]
  readonly log: RunnerLog
  /** Null where scripts are read from a folder of this machine. */
  readonly scripts: Pick<ScriptCache, 'get'> | null
}

/** A check whose scripts have not come yet is left out until they have. */
export function createHeldChecks({ checkTypes, log, scripts }: Options): HeldChecks {
  let checks: readonly Check[] = []
  let incomplete = 0
  let since = new Map<string, number | null>()
  let service: ReturnType<RunnerCatalogue['service']> = {
    addresses: { allow: [], deny: [] },
    runnerLocations: null,
    evidence: 'none',
    limits: defaultLimits,
  }
  /** As long as a run may still use its settings. */
  const heldScripts = new WeakMap<Check['settings'], HeldScripts>()

  function isComplete(sent: SentCheck): boolean {
    if (scripts === null || sent.scripts === null) return true
    const held = scripts.get(sent.scripts)
    if (held) heldScripts.set(sent.settings, held)
    return held !== undefined
  }

  return {
    catalogue: { allChecks: () => checks, service: () => service },
    isIncomplete: () => incomplete > 0,
    scriptsOf: (settings) => heldScripts.get(settings),
    since: (check) => since.get(checkKey(refOf(check))) ?? null,
    set(assignment) {
      const { account, addresses, evidence } = assignment
      const complete = assignment.checks.filter(isComplete)
      incomplete = assignment.checks.length - complete.length
      const read = complete.map((sent) => ({ sent, check: checkFromServer(sent, account, checkTypes) }))
      checks = read.flatMap(({ check }) => check ?? [])
      since = new Map(assignment.checks.map((sent) => [checkKey({ account, checkId: sent.id }), sent.since]))
      const { mode, ...limits } = evidence
      service = { ...service, addresses, evidence: mode, limits: { ...defaultLimits, ...limits } }
      const unknown = read.filter(({ check }) => check === undefined).map(({ sent }) => sent.name)
      if (unknown.length > 0)
        log.warn({ checks: unknown }, 'These checks cannot run: this version of the agent does not know their settings.')
    },
  }
}
