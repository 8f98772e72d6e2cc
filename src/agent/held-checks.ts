import { type Check, uniqueName } from '../catalogue/catalogue.ts'
import { defaultLimits } from '../catalogue/definitions.ts'
import type { CheckType } from '../checks/define.ts'
import { type Assignment, fromSent } from '../locations/protocol.ts'
import type { Log } from '../runner/log.ts'
import type { RunnerCatalogue } from '../runner/runner.ts'

/** The checks that an agent was given last, as a catalogue for its runner. */
export type HeldChecks = {
  readonly catalogue: RunnerCatalogue
  set(assignment: Assignment): void
  /** Since when the slots of a check are this agent's. */
  since(check: Check): number | null
}

export function createHeldChecks(checkTypes: readonly CheckType[], log: Log): HeldChecks {
  let checks: readonly Check[] = []
  let since = new Map<string, number | null>()
  let addresses: Assignment['addresses'] = { allow: [], deny: [] }
  return {
    // Results are posted without evidence, so none is collected.
    catalogue: { allChecks: () => checks, service: () => ({ addresses, runnerLocations: null, evidence: 'none', limits: defaultLimits }) },
    since: (check) => since.get(uniqueName(check)) ?? null,
    set(assignment) {
      const { account } = assignment
      const read = assignment.checks.map((sent) => ({ sent, check: fromSent(sent, account, checkTypes) }))
      checks = read.flatMap(({ check }) => check ?? [])
      since = new Map(assignment.checks.map((sent) => [uniqueName({ account, id: sent.id }), sent.since]))
      addresses = assignment.addresses
      const unknown = read.filter(({ check }) => check === undefined).map(({ sent }) => sent.name)
      if (unknown.length > 0)
        log.warn({ checks: unknown }, 'These checks cannot run: this version of the agent does not know their settings.')
    },
  }
}
