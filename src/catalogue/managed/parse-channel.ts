import { channelTypes } from '../../alerts/channels/registry.ts'
import type { DefinitionFault } from '../../checks/wire-reader.ts'
import type { Env } from '../../config.ts'
import type { Account } from '../catalogue.ts'
import { interpolate } from '../config-file/interpolate.ts'
import { type ChannelEntry, channelFindings, managedChannelId, toChannel } from '../policies/channels.ts'
import type { PolicyEntry } from '../policies/fields.ts'
import type { Channel } from '../policies/policies.ts'
import { secretTexts } from '../secrets.ts'
import { type ChannelDefinition, channelEntry, channelPointer } from '../wire/alert-channel.ts'
import { jsonPointer } from '../wire/pointers.ts'
import { channelTitle, shownConfig } from '../wire/shown-channel.ts'
import { managedVariables } from './variables.ts'

export const channelKind = 'alert-channel'

type ParsedChannel = { readonly channel: Channel } | { readonly faults: readonly DefinitionFault[] }

type ChannelContext = {
  readonly account: Pick<Account, 'id' | 'managedVariables'>
  readonly env: Env
  /** Channels of the config file. */
  readonly ofFile: readonly Channel[]
}

/** Parses a managed channel as an entry of `channels:`. Faults point into the body. */
export function parseChannel(id: string, definition: ChannelDefinition, { account, env, ofFile }: ChannelContext): ParsedChannel {
  const { template, ...rest } = channelEntry(definition)
  const { value, missing, substituted } = interpolate(rest, managedVariables({ account, env }), [])
  const settings = { ...(value as PolicyEntry), ...(template !== undefined && { template }) }
  const entry: ChannelEntry = { ...settings, id: `channel-${id}`, type: String(rest.type) }
  if (missing.length > 0) return { faults: missing.map(({ path, text }) => ({ pointer: placed(path), message: text })) }
  const server = ofFile.find((channel) => channel.type === 'email')
  if (rest.type === 'email' && !server)
    return {
      faults: [
        {
          pointer: '/type',
          message: 'EMAIL requires a mail server: add a channel of type email to the config file',
        },
      ],
    }
  const whole = rest.type === 'email' ? { ...server?.settings, ...entry } : entry
  const findings = channelFindings(whole, [], channelTypes)
  if (findings.length > 0) return { faults: findings.map(({ path, text }) => ({ pointer: placed(path), message: text })) }
  const secrets = [...secretTexts(substituted), ...(rest.type === 'email' ? (server?.secrets ?? []) : [])]
  const managed = { number: Number(id), name: channelTitle(definition), type: definition.type, config: shownConfig(definition) }
  return { channel: { ...toChannel(whole, secrets, channelTypes), id: managedChannelId(id), managed } }

  function placed(path: Parameters<typeof jsonPointer>[0]): string {
    return channelPointer(definition, jsonPointer(path))
  }
}
