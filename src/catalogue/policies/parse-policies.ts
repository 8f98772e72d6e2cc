import { checkTypes as registry } from '../../checks/registry.ts'
import type { Env } from '../../config.ts'
import type { Account } from '../catalogue.ts'
import { asConfigFile, ConfigFile } from '../config-file/config-schema.ts'
import { type Fault, withoutUnknowable } from '../config-file/faults.ts'
import { readSource, type SourceOptions } from '../config-file/source.ts'
import { structureFindings } from '../config-file/structure.ts'
import { accountOf } from '../definitions.ts'
import { knownChecks, scheduleFindings, schedulePoliciesOf } from './account-policies.ts'
import type { KnownCheck } from './latency-metric.ts'
import type { SchedulePolicies } from './policies.ts'

export type AccountPolicies = { readonly account: Account; readonly checks: readonly KnownCheck[]; readonly policies: SchedulePolicies }

type ParsedPolicies = { readonly accounts: readonly AccountPolicies[] } | { readonly faults: readonly Fault[] }

/** Parses only accounts, their schedules and SLOs. Checks may be invalid, and variables unset. */
export function parsePolicies(text: string, env: Env, { checkTypes = registry, folder }: SourceOptions = {}): ParsedPolicies {
  const { value, faults, locate, isIncomplete } = readSource(text, env, { checkTypes, folder })
  if (value === null) return { faults: faults.length > 0 ? faults : [{ line: 1, text: 'the file is empty' }] }
  const findings = withoutUnknowable([...structureFindings(ConfigFile, value, []), ...scheduleFindings(value, checkTypes)], isIncomplete)
  if (findings.length > 0) return { faults: findings.map(locate).sort((a, b) => a.line - b.line) }
  return {
    accounts: asConfigFile(value).accounts.map((entry) => ({
      account: accountOf(entry),
      checks: knownChecks(entry, checkTypes),
      policies: schedulePoliciesOf(entry),
    })),
  }
}
