import type { Account, Catalogue } from '../../catalogue/catalogue.ts'
import { channelOf } from '../../catalogue/managed/channel-layer.ts'
import { channelKind, parseChannel } from '../../catalogue/managed/parse-channel.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import { type ChannelDefinition, readAlertChannel } from '../../catalogue/wire/alert-channel.ts'
import { keptChannel } from '../../catalogue/wire/kept-channel.ts'
import { shownConfig } from '../../catalogue/wire/shown-channel.ts'
import type { Env } from '../../config.ts'
import { invalidDefinition } from '../writing.ts'
import { readResourceBody } from './read-resource-body.ts'
import type { ResourceKind } from './resource-kind.ts'

export const alertChannelKind: ResourceKind = {
  kind: channelKind,
  noun: 'alert channel',
  limit: { count: 200, characters: 4 * 2 ** 20 },
  maxLength: 65_536,
  shown: (definition) => ({ ...definition, config: shownConfig(channelOf({ definition })) }),
}

type AccountContext = { readonly account: Account; readonly catalogue: Catalogue; readonly env: Env }
type ChannelContext = AccountContext & {
  readonly current: ManagedResource | null
  /** The key that sends it. */
  readonly keyId: string
}

export function channelFromBody(body: unknown, { current, keyId, ...context }: ChannelContext): ChannelDefinition {
  const kept = keptChannel(readResourceBody(body, readAlertChannel), current && channelOf(current), keyId)
  if ('faults' in kept) throw invalidDefinition(kept.faults)
  return requireChannel(kept.definition, context)
}

/** Returns the definition; throws with its faults. */
export function requireChannel(definition: ChannelDefinition, { account, catalogue, env }: AccountContext): ChannelDefinition {
  const ofFile = catalogue.policies(account.id).channels.filter(({ managed }) => !managed)
  const parsed = parseChannel('1', definition, { account, env, ofFile })
  if ('faults' in parsed) throw invalidDefinition(parsed.faults)
  return definition
}
