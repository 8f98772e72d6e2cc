import type { Account } from '../../../catalogue/catalogue.ts'
import type { Config } from '../../../catalogue/config-file/parse.ts'
import type { Resources } from '../../../catalogue/managed/resources.ts'
import type { Vault } from '../../../catalogue/managed/vault.ts'
import type { DefinitionFault } from '../../../checks/wire-reader.ts'
import type { Env } from '../../../config.ts'
import { unknownValues, type VariableScope } from './rename-variables.ts'
import type { VariableNames } from './variable-names.ts'

export type AccountExport = {
  readonly account: Account
  readonly config: Pick<Config, 'service' | 'policies' | 'keys' | 'checks'>
  readonly env: Env
  readonly vault: Vault | null
  readonly resources: Resources
  readonly scope: VariableScope
  readonly names: VariableNames
  /** Reports what the file cannot express about an item, such as `check shop`. */
  readonly note: (what: string, text: string) => void
}

type Judged = {
  readonly what: string
  readonly faults: readonly DefinitionFault[]
  readonly part: unknown
  readonly scope: VariableScope
}

/** Whether to export a faulty item anyway: the faults may come from variables that only the server has. */
export function isExported({ what, faults, part, scope }: Judged, { env, note }: AccountExport): boolean {
  if (faults.length === 0) return true
  const unknown = unknownValues(part, scope, env)
  if (unknown.length > 0) note(what, `not verified: these variables have no value here: ${unknown.join(', ')}`)
  else note(what, `left out, because it is not active: ${faults.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; ')}`)
  return unknown.length > 0
}
