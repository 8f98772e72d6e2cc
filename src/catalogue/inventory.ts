import type { CheckType } from '../checks/define.ts'
import { checkTypes as registry } from '../checks/registry.ts'
import type { Env } from '../config.ts'
import { uuidOf } from '../ids/uuid.ts'
import type { Account, Check } from './catalogue.ts'
import { asConfigFile, ConfigFile } from './config-file/config-schema.ts'
import type { Fault, Path } from './config-file/faults.ts'
import { readSource, type SourceOptions } from './config-file/source.ts'
import { structureFindings } from './config-file/structure.ts'
import { accountOf } from './definitions.ts'

export type ListedCheck = Pick<Check, 'id' | 'account' | 'name' | 'checkType'>

/** The accounts and checks of a config file, even if settings are invalid or secrets are not set. */
export type Inventory = { readonly accounts: readonly Account[]; readonly checks: readonly ListedCheck[] }

/** Only variables in ids, names and types need to be set. Checks without a name or of an unknown type are left out. */
export function parseInventory(
  text: string,
  env: Env,
  { checkTypes = registry, folder }: SourceOptions = {},
): Inventory | { readonly faults: readonly Fault[] } {
  const { value, faults, locate, unset } = readSource(text, env, { checkTypes, folder })
  if (value === null) return { faults }
  const found = structureFindings(ConfigFile, value, []).map(locate)
  if (found.length > 0) return { faults: found }
  const { accounts } = asConfigFile(value)
  const missing = accounts.flatMap(({ checks = [] }, account) => [
    ...unset(['accounts', account, 'id']),
    ...checks.flatMap((_, check) => identifying.flatMap((name) => unset(checkPath(account, check, name)))),
  ])
  if (missing.length > 0) return { faults: missing }
  const checks = accounts.flatMap(({ id, checks: entries = [] }) => entries.flatMap((entry) => listed(id, { ...entry }, checkTypes)))
  return { accounts: accounts.map(accountOf), checks }
}

const identifying = ['id', 'name', 'type'] as const

const checkPath = (account: number, check: number, name: string): Path => ['accounts', account, 'checks', check, name]

function listed(
  account: string,
  { id, name, type }: Readonly<Record<string, unknown>>,
  checkTypes: readonly CheckType[],
): readonly ListedCheck[] {
  const checkType = checkTypes.find((one) => one.type === type)
  if (typeof name !== 'string' || !checkType) return []
  return [{ id: typeof id === 'string' ? id : uuidOf([account, name]), account, name, checkType }]
}
