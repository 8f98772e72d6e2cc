import { isAbsolute } from 'node:path'
import type { CheckType } from '../../checks/define.ts'
import { checkTypes as registry } from '../../checks/registry.ts'
import type { Env } from '../../config.ts'
import { shortened } from '../../text/shortened.ts'
import type { Account } from '../catalogue.ts'
import { FileFault } from '../config-file/config-folder.ts'
import type { CheckEntry } from '../config-file/config-schema.ts'
import type { Finding, Path } from '../config-file/faults.ts'
import { interpolate, type Variables } from '../config-file/interpolate.ts'
import { checkFindings, checkSecrets } from '../config-file/parse.ts'
import { type CheckDefinition, definitionOf, withSecrets } from '../definitions.ts'
import { jsonPointer } from '../wire/pointers.ts'
import type { WrittenDefinition } from '../written-definition.ts'

/** What is wrong at a place of a definition, which a JSON pointer names. */
export type DefinitionFault = { readonly pointer: string; readonly message: string }

export type ParsedCheck = { readonly check: CheckDefinition } | { readonly faults: readonly DefinitionFault[] }

type ManagedContext = {
  readonly account: Pick<Account, 'id' | 'managedVariables'>
  readonly env: Env
  readonly checkTypes?: readonly CheckType[] | undefined
}

const maxFaults = 100

/** Parses a definition that is written over the API as an entry of `checks:` in the config file. */
export function parseManagedCheck(definition: WrittenDefinition, { account, env, checkTypes = registry }: ManagedContext): ParsedCheck {
  const variables = openVariables(account.managedVariables ?? [], env)
  const { value, missing } = interpolate(definition, variables, [])
  const entry = { ...(value as WrittenDefinition), ...literalPart(definition) }
  const found = [
    ...missing.map(({ path, text }): Finding => ({ path, at: 'value', text })),
    ...checkFindings(entry, [], { checkTypes, isThere: () => true }),
  ]
  const checkType = checkTypes.find(({ type }) => type === entry.type)
  if (found.length > 0 || !checkType) return { faults: found.slice(0, maxFaults).map(faultOf) }
  const check = definitionOf(account.id, entry as CheckEntry, checkType)
  const outside = outsideFiles(check)
  if (outside.length > 0) return { faults: outside.map(faultOf) }
  const substitutions = (path: Path) => interpolate(partAt(definition, path), variables, path).substituted
  return { check: withSecrets({ ...check, written: definition }, checkSecrets([], checkType, substitutions)) }
}

/** Which check it is, and of which type, is decided before variables are known: they are taken as they are written. */
function literalPart(definition: WrittenDefinition): WrittenDefinition {
  return Object.fromEntries(['id', 'type'].flatMap((name) => (Object.hasOwn(definition, name) ? [[name, definition[name]]] : [])))
}

function faultOf({ path, text }: Finding): DefinitionFault {
  return { pointer: jsonPointer(path), message: text }
}

/** Whoever may write checks must not be able to send any variable of the server, or any file, to a place of their own. */
function openVariables(names: readonly string[], env: Env): Variables {
  const open = new Set(names)
  return {
    env: Object.fromEntries(names.flatMap((name) => (Object.hasOwn(env, name) ? [[name, env[name]]] : []))),
    fileText: () => {
      throw new FileFault('files can be named only in the config file')
    },
    unset: (name) =>
      open.has(name)
        ? `\${${shortened(name)}} is not set in the environment`
        : `\${${shortened(name)}} is not open to managed checks: managedVariables of the account in the config file lists those that are`,
  }
}

/** Scripts are files beside the config file: a definition must not run or show others. */
function outsideFiles({ checkType, settings }: CheckDefinition): readonly Finding[] {
  const isOutside = (path: string) => isAbsolute(path) || path.split(/[\\/]/).includes('..')
  return (checkType.files?.(settings) ?? [])
    .filter(({ path }) => isOutside(path))
    .map(({ setting }) => ({ path: [setting], at: 'value', text: `${setting} must be within the folder of the config file` }))
}

function partAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<Path[number], unknown> | null | undefined)?.[step], value)
}
