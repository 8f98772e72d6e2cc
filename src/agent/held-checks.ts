import { type Check, refOf } from '../catalogue/catalogue.ts'
import { defaultLimits } from '../catalogue/definitions.ts'
import type { CheckType } from '../checks/define.ts'
import { checkKey } from '../ids/check-ref.ts'
import { type Assignment, checkFromServer, type SentCheck } from '../locations/protocol.ts'
import type { RunnerLog } from '../runner/log.ts'
import type { RunnerCatalogue } from '../runner/runner.ts'
import type { HeldScripts, ScriptCache } from './script-cache.ts'

/** The checks that were last assigned to an agent, as a catalogue for its runner. */
type HeldChecks = {
  readonly catalogue: RunnerCatalogue
  set(assignment: Assignment): void
  /** The scripts of the check that has these settings; undefined if its runs need none. */
  scriptsOf(settings: Check['settings']): HeldScripts | undefined
  /** Whether checks are left out because their scripts have not arrived. */
  isIncomplete(): boolean
  /** Since when this agent is responsible for the slots of a check. */
  since(check: Check): number | null
}

type Options = {
  readonly checkTypes: readonly CheckType[]
  readonly log: RunnerLog
  /** Null if scripts are read from a folder of this machine. */
  readonly scripts: Pick<ScriptCache, 'get'> | null
}

/** Leaves out checks until their scripts have arrived. */
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
  /** Held as long as a run may still use the settings. */
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
      if (unknown.length > 0) log.warn({ checks: unknown }, 'These checks cannot run: this agent version does not support their settings.')
    },
  }
}
