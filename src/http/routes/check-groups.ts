import type { Account } from '../../catalogue/catalogue.ts'
import { type GroupDefinition, groupIdOf } from '../../catalogue/managed/check-group.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import { type GroupVersion, groupFromWire, groupToWire } from '../../catalogue/wire/group.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { apiError } from '../../errors.ts'
import { checkGroups, requireChannels } from '../../managed/resources/check-groups.ts'
import { sealGroup } from '../../managed/seal.ts'
import { requireUnbroken } from '../../managed/user-judge.ts'
import { invalidDefinition } from '../../managed/writing.ts'
import { checkGroupSchema } from '../reference/managed-schemas.ts'
import { type Deps, managedChecks, type Routes } from '../route.ts'
import { addResourceRoutes, numberId } from './resource-routes.ts'

export const checkGroupRoutes: Routes = (app, deps) => {
  for (const version of [1, 2] as const)
    addResourceRoutes(app, deps, {
      path: `/v${version}/check-groups`,
      kind: checkGroups,
      group: 'Check groups',
      plural: 'check groups',
      schema: checkGroupSchema,
      body: { schema: { type: 'object' }, example: { name: 'Shop', tags: ['shop'], locations: ['eu-west-1'], muted: false } },
      id: numberId,
      read: (body, { account, current }) => readGroup(body, version, { account, current }, deps),
      restore: (definition, { account, last }) => restoredGroup(definition, account, last, deps),
      entry: (resource) => groupToWire(resource, version),
      guard: (resource, account) => requireUnused(resource, account, deps),
      settled: () => managedChecks(deps).settled(),
      errors: ['RESOURCE_IN_USE', 'BULK_CHANGE_UNDER_WAY'],
    })
}

type GroupOwner = { readonly account: Account; readonly current: ManagedResource | null }

/** Throws if the group has faults, or would cause some in one of its checks. */
async function readGroup(body: unknown, version: GroupVersion, { account, current }: GroupOwner, deps: Deps) {
  const managed = managedChecks(deps)
  const previous = current?.definition as GroupDefinition | undefined
  const read = groupFromWire(body, version, previous)
  if ('faults' in read) throw invalidDefinition(read.faults)
  requireChannels(read.definition, previous, { account, resources: managed.sources.resources })
  const definition = sealGroup(read.definition, account, managed.sources.vault, previous)
  if (current) await requireUnbroken(managed.judgeUsers, account, { current, definition })
  return { definition }
}

/** For an earlier version, whose secrets are encrypted already. */
async function restoredGroup(earlier: WrittenDefinition, account: Account, last: ManagedResource, deps: Deps): Promise<WrittenDefinition> {
  const { judgeUsers, sources } = managedChecks(deps)
  requireChannels(earlier as GroupDefinition, last.definition as GroupDefinition, { account, resources: sources.resources })
  await requireUnbroken(judgeUsers, account, { current: last, definition: earlier })
  return earlier
}

const shownUsers = 5

async function requireUnused({ kind, id }: ManagedResource, account: Account, deps: Deps): Promise<void> {
  const users = await managedChecks(deps).usersOf({ kind, account: account.id, id })
  const own = users.filter(({ definition }) => String(groupIdOf(definition)) === id).map((user) => user.id)
  if (own.length === 0) return
  const more = own.length > shownUsers ? ` and ${own.length - shownUsers} more` : ''
  throw apiError('RESOURCE_IN_USE', { noun: checkGroups.noun, users: `the checks ${own.slice(0, shownUsers).join(', ')}${more}` })
}
