import { grouped } from '../../collections/lists.ts'
import { checkKey } from '../../ids/check-ref.ts'
import { refOf } from '../catalogue.ts'
import type { CheckDefinition } from '../definitions.ts'
import { ConfigFaults, type Fault } from './faults.ts'
import type { Config } from './parse.ts'

/** Keeps the previous checks of faulty files, unless other files use their ids or tokens now. */
export function withPrevious(next: Config, previous: Pick<Config, 'checks'>): Config {
  const files = new Set(next.refused.map(({ file }) => file))
  if (files.size === 0) return next
  const accounts = new Set(next.accounts.map(({ id }) => id))
  const taken = new Set(next.checks.flatMap(namesOf))
  const kept = previous.checks.filter(
    (check) => files.has(check.origin.file ?? undefined) && accounts.has(check.account) && !namesOf(check).some((name) => taken.has(name)),
  )
  return kept.length === 0 ? next : { ...next, checks: [...next.checks, ...kept] }
}

/** Identifiers that must be unique. */
function namesOf(check: CheckDefinition): readonly string[] {
  const token = check.checkType.pingSettings?.(check.settings).tokenHash
  return [checkKey(refOf(check)), ...(token === undefined ? [] : [token])]
}

/** Logs refused files, each once for the same faults. */
export function createRefusalLog(log: { error(message: string): void }): (config: Pick<Config, 'refused' | 'checks'>) => void {
  let logged: ReadonlyMap<string, string> = new Map()
  return ({ refused, checks }) => {
    const now = new Map([...faultsByFile(refused)].map(([file, faults]) => [file, new ConfigFaults(file, faults).message]))
    for (const [file, message] of now) {
      const count = checks.filter(({ origin }) => origin.file === file).length
      const kept = count === 1 ? 'its check is unchanged' : `its ${count} checks are unchanged`
      const effect = count === 0 ? 'is left out' : `is not applied: ${kept}`
      if (logged.get(file) !== message) log.error(`${file} has faults and ${effect}.\n${message}`)
    }
    logged = now
  }
}

function faultsByFile(faults: readonly Fault[]): ReadonlyMap<string, readonly Fault[]> {
  return grouped(faults, ({ file }) => file ?? '')
}
