import { type GroupDefinition, groupIdOf } from '../../catalogue/managed/check-group.ts'
import type { Vault } from '../../catalogue/managed/vault.ts'
import { groupFromWire } from '../../catalogue/wire/group.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { apiError } from '../../errors.ts'
import type { DocumentRef } from '../../store/documents/document-log.ts'
import { checkGroups, requireChannels } from '../resources/check-groups.ts'
import type { ManagedResources } from '../resources/managed-resources.ts'
import { sealGroup } from '../seal.ts'
import { requireUnbroken, type UserJudge } from '../user-judge.ts'
import { createManagedWriter } from './managed-writer.ts'
import { withLocations, withSubscriptions } from './relations.ts'
import type { ResourceWriter } from './resource-writer.ts'
import { ResourceFaults } from './sent-resource.ts'

export type GroupWriterOptions = {
  readonly resources: ManagedResources
  readonly judgeUsers: UserJudge
  readonly usersOf: (ref: DocumentRef) => Promise<readonly { readonly id: string; readonly definition: WrittenDefinition }[]>
  readonly vault: Vault | null
}

/** Writes the check groups of a project. Checks of the project are validated with their own plan; others must stay valid. */
export function createGroupWriter({ resources, judgeUsers, usersOf, vault }: GroupWriterOptions): ResourceWriter {
  return createManagedWriter({
    type: 'check-group',
    kind: checkGroups,
    resources,
    async read({ payload }, state, current) {
      const { account, own, view } = state
      const { v, ...body } = withSubscriptions(withLocations(payload, state), state)
      const previous = current?.definition as GroupDefinition | undefined
      const group = groupFromWire(body, v === 2 ? 2 : 1, previous)
      if ('faults' in group) throw new ResourceFaults(group.faults)
      requireChannels(group.definition, previous, { account, resources: view.resources })
      const definition = sealGroup(group.definition, account, vault, previous)
      if (current) await requireUnbroken(judgeUsers, account, { current, definition, except: own })
      return { definition }
    },
    async guard({ kind, id }, { account, own }) {
      const users = await usersOf({ kind, account: account.id, id })
      const others = users.filter((user) => String(groupIdOf(user.definition)) === id && !own.has(user.id))
      if (others.length === 0) return
      const named = others.slice(0, 5).map((user) => `check ${user.id}`)
      throw apiError('RESOURCE_IN_USE', { noun: checkGroups.noun, users: named.join(', ') })
    },
  })
}
