import { isDeepStrictEqual } from 'node:util'
import type { DefinitionFault } from '../../checks/wire-reader.ts'
import type { Path } from '../config-file/faults.ts'
import type { WrittenDefinition } from '../written-definition.ts'
import type { ChannelDefinition } from './alert-channel.ts'
import { keepSecrets, revealedText, withheldText } from './merge.ts'
import { jsonPointer } from './pointers.ts'
import { channelSecrets, hiddenText, shownConfig } from './shown-channel.ts'
import { type Pair, pairLists, pairsIn } from './webhook-config.ts'

type Kept = { readonly definition: ChannelDefinition } | { readonly faults: readonly DefinitionFault[] }

const unknownText = `${hiddenText} is what answers show in place of a value, and none is known here: send the value`

/**
 * A channel as sent, with hidden values filled in from the replaced one. The key that sent all secrets may read them, so that clients can
 * compare responses with their requests. Other keys cannot read secrets, and can keep them only in the same place.
 */
export function keptChannel(sent: ChannelDefinition, current: ChannelDefinition | null, keyId: string): Kept {
  const kept = current?.type === sent.type ? keptConfig(sent, current) : { config: sent.config, faults: [] }
  const definition = { ...sent, config: kept.config }
  const faults = [...kept.faults, ...unknownIn(definition)]
  if (faults.length > 0) return { faults: faults.map(({ path, message }) => ({ pointer: `/config${jsonPointer(path)}`, message })) }
  if (!current || isDeepStrictEqual(kept.config, sent.config)) return { definition: { ...definition, secretsOf: keyId } }
  const known = new Set(channelSecrets(current))
  const { secretsOf } = current
  const isKnown = secretsOf !== undefined && (secretsOf === keyId || channelSecrets(definition).every((secret) => known.has(secret)))
  return { definition: { ...definition, ...(isKnown && { secretsOf }) } }
}

type Fault = { readonly path: Path; readonly message: string }
type KeptConfig = { readonly config: WrittenDefinition; readonly faults: readonly Fault[] }

function keptConfig({ type, config: sent }: ChannelDefinition, current: ChannelDefinition): KeptConfig {
  const shown = withPairsOf(sent, shownConfig(current), current.config)
  const { definition: config, withheld } = keepSecrets(sent, shown, withPairsOf(sent, current.config, current.config))
  if (withheld.length > 0) return { config, faults: withheld.map((path) => ({ path, message: withheldText })) }
  // Whether a text is secret depends on other fields, such as the channel type.
  const shownThen = new Map(textsIn(shownConfig({ type, config })).map(({ path, text }) => [jsonPointer(path), text]))
  const before = new Map(textsIn(config).map(({ path, text }) => [jsonPointer(path), text]))
  const isRevealed = ({ path, text }: Text) => before.get(jsonPointer(path)) !== text && shownThen.get(jsonPointer(path)) !== text
  return {
    config,
    faults: textsIn(sent)
      .filter(isRevealed)
      .map(({ path }) => ({ path, message: revealedText })),
  }
}

/** Reorders key-value pairs to match the request, because hidden values are matched by key, not by position. */
function withPairsOf(sent: WrittenDefinition, config: WrittenDefinition, written: WrittenDefinition): WrittenDefinition {
  const ordered = pairLists.map((name) => {
    const pairs = pairsIn(config, name)
    const places = new Map(distinctKeys(pairsIn(written, name)).map((key, index) => [key, index]))
    return [name, distinctKeys(pairsIn(sent, name)).map((key) => pairs[places.get(key) ?? -1] ?? null)] as const
  })
  return { ...config, ...Object.fromEntries(ordered) }
}

/** Numbers repeated keys, because query parameters may have the same name. */
function distinctKeys(pairs: readonly Pair[]): readonly string[] {
  const counts = new Map<string, number>()
  return pairs.map(({ key }) => {
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    return `${count} ${key}`
  })
}

/** Placeholders of hidden values for which no value is stored. */
function unknownIn({ config: { template: _, name: __, ...config } }: ChannelDefinition): readonly Fault[] {
  return textsIn(config)
    .filter(({ text }) => text.includes(hiddenText))
    .map(({ path }) => ({ path, message: unknownText }))
}

type Text = { readonly path: Path; readonly text: string }

function textsIn(value: unknown, path: Path = []): readonly Text[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]))
  return typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([name, item]) => textsIn(item, [...path, name])) : []
}
