import { present } from '../../checks/wire.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import { percentEncoded } from '../../text/percent-encoded.ts'
import type { PolicyEntry } from '../policies/fields.ts'
import type { WrittenDefinition } from '../written-definition.ts'

export type Pair = { readonly key: string; readonly value: string; readonly locked?: true }

type WebhookConfig = {
  readonly url?: string
  readonly webhookType?: string
  readonly method?: string
  readonly template?: string
  readonly webhookSecret?: string
  readonly headers?: readonly Pair[]
  readonly queryParameters?: readonly Pair[]
}

export const pairLists = ['headers', 'queryParameters'] as const

export const pairsIn = (config: WrittenDefinition, name: (typeof pairLists)[number]): readonly Pair[] =>
  (config as WebhookConfig)[name] ?? []

/** Services that have their own channel type, which is used if the body has no template. */
const ownChannels: Readonly<Record<string, string>> = { WEBHOOK_DISCORD: 'discord', WEBHOOK_MSTEAMS: 'teams' }

const formType = 'application/x-www-form-urlencoded'

export function readWebhookConfig(config: WireReader): WrittenDefinition {
  const webhookType = config.text('webhookType', 100)
  const method = config.text('method', 20)
  const template = config.text('template')
  if (method !== undefined && !['POST', 'PUT'].includes(method.toUpperCase()))
    config.fault('method', `method ${method.toUpperCase()} is not supported: messages are sent with POST or PUT`)
  if (webhookType !== undefined && template === undefined && !Object.hasOwn(ownChannels, webhookType))
    config.fault('template', `template is missing: there are no built-in messages for ${webhookType}`)
  return present<unknown>({
    name: config.text('name'),
    url: config.text('url'),
    webhookType,
    method,
    template,
    webhookSecret: config.text('webhookSecret'),
    headers: readPairs(config, 'headers'),
    queryParameters: readPairs(config, 'queryParameters'),
  })
}

function readPairs(config: WireReader, name: string): readonly Pair[] | undefined {
  const pairs = config.objects(name).map((pair) => {
    const key = pair.text('key', 1000) ?? ''
    if (key === '') pair.fault('key', 'key is missing')
    return { key, value: pair.text('value') ?? '', ...(pair.flag('locked') && { locked: true as const }) }
  })
  const names = new Set<string>()
  const twice = pairs.find(({ key }) => names.size === names.add(key.toLowerCase()).size)
  if (twice && name === 'headers') config.fault(name, `the header ${twice.key} is listed twice`)
  return pairs.length > 0 ? pairs : undefined
}

/** An entry of `channels:` of the type webhook, or of the service's own type. */
export function webhookSettings(config: WrittenDefinition): PolicyEntry {
  const { url, webhookType = '', method, template, webhookSecret, headers = [], queryParameters = [] } = config as WebhookConfig
  const address = url === undefined ? undefined : withQuery(url, queryParameters)
  const own = Object.hasOwn(ownChannels, webhookType) ? ownChannels[webhookType] : undefined
  if (own !== undefined && template === undefined && headers.length === 0) return present({ type: own, url: address })
  const isForm = webhookType === 'WEBHOOK_TELEGRAM' && !headers.some(({ key }) => key.toLowerCase() === 'content-type')
  const all = [...headers.map(({ key, value }) => [key, value]), ...(isForm ? [['Content-Type', formType]] : [])]
  return present<unknown>({
    type: 'webhook',
    url: address,
    method: method?.toUpperCase() === 'PUT' ? 'PUT' : undefined,
    headers: all.length > 0 ? Object.fromEntries(all) : undefined,
    secrets: webhookSecret === undefined ? undefined : [webhookSecret],
    template,
  })
}

/** Appends text, because a URL with variables cannot be parsed. */
function withQuery(url: string, parameters: readonly Pair[]): string {
  if (parameters.length === 0) return url
  const [address = '', ...fragment] = url.split('#')
  const query = parameters.map(({ key, value }) => `${percentEncoded(key)}=${encoded(value)}`).join('&')
  return [`${address}${address.includes('?') ? '&' : '?'}${query}`, ...fragment].join('#')
}

/** Encodes everything except variables. */
function encoded(value: string): string {
  return value
    .split(/(\$\{[^{}]*\})/)
    .map((part, index) => (index % 2 === 1 ? part : percentEncoded(part)))
    .join('')
}
