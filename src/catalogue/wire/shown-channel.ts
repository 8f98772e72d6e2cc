import { channelTypes } from '../../alerts/channels/registry.ts'
import { encodings, exactRedactor } from '../../checks/probe/redact.ts'
import type { WrittenDefinition } from '../written-definition.ts'
import { type ChannelDefinition, channelEntry } from './alert-channel.ts'

type Described = Pick<ChannelDefinition, 'type' | 'config'>

/** The display name of a channel: its own name, or its destination. */
export function channelTitle({ type, config }: Described): string {
  const [found] = [config.name, config.address, config.serviceName, config.channel].filter((text) => typeof text === 'string')
  return String(found ?? type.toLowerCase()).slice(0, 200)
}

/** The config of a channel without its secrets; variables are shown by their names. */
export function shownConfig(definition: Described): WrittenDefinition {
  const redact = exactRedactor(channelSecrets(definition))
  const shown = (value: unknown): unknown => {
    if (typeof value === 'string') return isUnreadable(value) ? hiddenText : redact(value)
    if (Array.isArray(value)) return value.map(shown)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shown(item)]))
  }
  const { template, name, ...rest } = definition.config
  return { ...(name !== undefined && { name }), ...(shown(rest) as WrittenDefinition), ...(template !== undefined && { template }) }
}

/** Shown instead of a secret. */
export const hiddenText = '•••'

/** A URL with a variable: it is unknown which parts are secret. */
function isUnreadable(text: string): boolean {
  return /^https?:/i.test(text) && text.includes('${') && !/^https?:\/\/[^/?#@]*(\/?\$\{\w+\})?$/i.test(text)
}

/** The texts of a channel that are secret; a variable is not. */
export function channelSecrets(definition: Described): readonly string[] {
  const { type, ...settings } = channelEntry(definition)
  const channelType = channelTypes.find((one) => one.type === type)
  const url = typeof settings.url === 'string' && URL.canParse(settings.url) ? settings.url : 'https://unknown.invalid'
  const declared = type === 'email' ? [] : (channelType?.secrets({ ...settings, url }) ?? [])
  return declared.filter((text) => typeof text === 'string' && !text.includes('${')).flatMap(encodings)
}
