import type { Account } from '../../catalogue/catalogue.ts'
import { type GroupDefinition, groupKind, shownGroup } from '../../catalogue/managed/check-group.ts'
import { channelKind } from '../../catalogue/managed/parse-channel.ts'
import type { Resources } from '../../catalogue/managed/resources.ts'
import { subscriptionsOf } from '../../catalogue/policies/alert-fields.ts'
import { checkTypes } from '../../checks/registry.ts'
import { invalidDefinition } from '../writing.ts'
import type { ResourceKind } from './resource-kind.ts'

export const checkGroups: ResourceKind = {
  kind: groupKind,
  noun: 'check group',
  limit: { count: 5000, characters: 16 * 2 ** 20 },
  maxLength: 65_536,
  shown: (definition) => shownGroup(definition as GroupDefinition, checkTypes),
}

type ChannelContext = { readonly account: Account; readonly resources: Resources }

/** Accepts channels of the previous version, which may have been deleted since. */
export function requireChannels(
  group: GroupDefinition,
  previous: GroupDefinition | undefined,
  { account, resources }: ChannelContext,
): void {
  const known = new Set((previous ? subscriptionsOf(previous) : []).map(({ alertChannelId }) => alertChannelId))
  const faults = subscriptionsOf(group).flatMap(({ alertChannelId }, index) =>
    known.has(alertChannelId) || resources.find({ kind: channelKind, account: account.id, id: String(alertChannelId) })
      ? []
      : [
          {
            pointer: `/alertChannelSubscriptions/${index}/alertChannelId`,
            message: `there is no managed alert channel with the id ${alertChannelId}`,
          },
        ],
  )
  if (faults.length > 0) throw invalidDefinition(faults)
}
