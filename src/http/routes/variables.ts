import type { Account } from '../../catalogue/catalogue.ts'
import { variableFindings } from '../../catalogue/managed/group-findings.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import { type StoredVariable, variableKind } from '../../catalogue/managed/variables.ts'
import { jsonPointer } from '../../catalogue/wire/pointers.ts'
import { type DefinitionFault, wireReader } from '../../checks/wire-reader.ts'
import { isMapping } from '../../collections/mapping.ts'
import { apiError } from '../../errors.ts'
import { accountVariables } from '../../managed/resources/account-variables.ts'
import { sealed } from '../../managed/seal.ts'
import { requireUnbroken } from '../../managed/user-judge.ts'
import { invalidDefinition } from '../../managed/writing.ts'
import { isoText } from '../../time.ts'
import { variableSchema } from '../reference/managed-schemas.ts'
import { type Deps, managedChecks, type Routes } from '../route.ts'
import { addResourceRoutes } from './resource-routes.ts'

export const variableRoutes: Routes = (app, deps) => {
  addResourceRoutes(app, deps, {
    path: '/v1/variables',
    kind: accountVariables,
    group: 'Variables',
    plural: 'variables',
    schema: variableSchema,
    body: { schema: { type: 'object' }, example: { key: 'SHOP_HOST', value: 'shop.example', locked: false, secret: false } },
    id: { name: 'key', schema: { type: 'string', description: 'The name of the variable.' } },
    read: (body, { account, current }) => readVariable(body, account, current, deps),
    restore: async (definition, { account, last }) => {
      const faults = keyFaults(last.id, account)
      if (faults.length > 0) throw invalidDefinition(faults)
      await requireUnbroken(managedChecks(deps).judgeUsers, account, { current: last, definition })
      return definition
    },
    entry: variableEntry,
    guard: (resource, account) => requireUnused(resource, account, deps),
    settled: () => managedChecks(deps).settled(),
    errors: ['RESOURCE_IN_USE', 'BULK_CHANGE_UNDER_WAY'],
  })
}

function variableEntry({ definition, createdAt, updatedAt }: ManagedResource) {
  const { key, value, locked, secret } = definition as StoredVariable
  return {
    key,
    value: locked || secret ? null : (value ?? ''),
    locked,
    secret,
    created_at: isoText(createdAt),
    updated_at: isoText(updatedAt),
  }
}

const maxValueLength = 32_768

/** Throws if the variable has faults, or would cause some in a check. */
async function readVariable(body: unknown, account: Account, current: ManagedResource | null, deps: Deps) {
  const faults: DefinitionFault[] = []
  const previous = current ? (current.definition as StoredVariable) : null
  const sent = sentVariable(body, previous, faults)
  if (previous && sent.key !== previous.key)
    faults.push({ pointer: '/key', message: `the key is ${previous.key}, which cannot be changed` })
  faults.push(...keyFaults(sent.key, account))
  for (const { path, text } of variableFindings(sent.key, sent.value, ['key'])) faults.push({ pointer: jsonPointer(path), message: text })
  if (faults.length > 0) throw invalidDefinition(faults)
  const managed = managedChecks(deps)
  const variable = storedVariable(sent, previous, account, managed.sources.vault)
  const ref = { kind: variableKind, account: account.id, id: variable.key }
  const now = Math.floor(deps.clock.now())
  const resource = { ...ref, version: 0, createdAt: current?.createdAt ?? now, updatedAt: now, definition: variable }
  await requireUnbroken(managed.judgeUsers, account, { current: resource, definition: variable })
  return { id: variable.key, definition: variable }
}

/** Rejects the name of an environment variable that the config file opens to managed checks. */
function keyFaults(key: string, account: Account): readonly DefinitionFault[] {
  if (!account.managedVariables?.includes(key)) return []
  return [{ pointer: '/key', message: `${key} is a server variable that the config file allows: choose another key` }]
}

/** `value` is null to keep the stored one. */
type SentVariable = { readonly key: string; readonly value: string | null; readonly locked: boolean; readonly secret: boolean }

function sentVariable(body: unknown, previous: StoredVariable | null, faults: DefinitionFault[]): SentVariable {
  const reader = wireReader(body ?? null, { faults })
  if (!isMapping(body)) faults.push({ pointer: '', message: 'the body must be an object' })
  reader.ignore('created_at', 'updated_at')
  const key = reader.text('key', 200) ?? previous?.key ?? ''
  const value = reader.raw('value') ?? null
  const [locked, secret] = [reader.flag('locked') ?? false, reader.flag('secret') ?? false]
  reader.end()
  if (value !== null && (typeof value !== 'string' || value.length > maxValueLength))
    faults.push({ pointer: '/value', message: `value must be text of at most ${maxValueLength} characters` })
  const isOpened = previous && ((previous.locked && !locked && !secret) || (previous.secret && !secret))
  if (value === null && (!previous || isOpened))
    faults.push({ pointer: '/value', message: previous ? 'the value is hidden: send it again to show it' : 'value is missing' })
  return { key, value: typeof value === 'string' ? value : null, locked, secret }
}

function storedVariable(
  { key, value, locked, secret }: SentVariable,
  previous: StoredVariable | null,
  account: Account,
  vault: Parameters<typeof sealed>[2]['vault'],
): StoredVariable {
  const common = { key, locked, secret }
  if (!secret) return { ...common, value: value ?? previous?.value ?? '' }
  if (value === null && previous?.sealed !== undefined) return { ...common, sealed: previous.sealed }
  const plain = value ?? previous?.value ?? ''
  return { ...common, sealed: sealed(plain, { account, name: key, pointer: '/secret' }, { vault, previous: previous?.sealed }) }
}

const shownUsers = 5

async function requireUnused({ kind, id }: ManagedResource, account: Account, deps: Deps): Promise<void> {
  const broken = await managedChecks(deps).judgeUsers(account, [{ kind, account: account.id, id, resource: null }])
  if (broken.length === 0) return
  const users = `the checks ${broken
    .slice(0, shownUsers)
    .map((user) => user.id)
    .join(', ')}`
  throw apiError('RESOURCE_IN_USE', { noun: accountVariables.noun, users })
}
