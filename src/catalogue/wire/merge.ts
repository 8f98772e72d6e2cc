import { isDeepStrictEqual } from 'node:util'
import { isReordered } from '../../collections/lists.ts'
import { isMapping, type Mapping } from '../../collections/mapping.ts'
import { hasVariable } from '../../text/variable-references.ts'
import type { Path } from '../config-file/faults.ts'

/**
 * Three-way merge. `base` is `written` as read back from its own body. A sent value that equals `base` was not changed, so the value of
 * `written` is kept: it may have details that a body cannot express. Bodies have some mappings as lists, whose order is one of the values.
 */
export function mergeWritten(sent: Mapping, base: Mapping | null, written: Mapping): Mapping {
  const inOrder = isReordered(Object.keys(base ?? {}), Object.keys(sent)) ? [sent, written] : [written, sent]
  const names = [...new Set(inOrder.flatMap(Object.keys))]
  const merged = names.map((name) => [name, mergedValue(own(sent, name), own(base, name), own(written, name))] as const)
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined))
}

function mergedValue(sent: unknown, base: unknown, written: unknown): unknown {
  if (isMapping(sent) && isMapping(base) && isMapping(written)) return mergeWritten(sent, base, written)
  return isDeepStrictEqual(sent, base) ? written : sent
}

export const withheldText =
  'a value that answers hide stays with the address that it was written for: send it again, or keep the scheme, host and port'
export const revealedText = 'a value that answers hide would be shown from now on: send it again'

type Kept = {
  readonly definition: Mapping
  /** Paths of texts that were filled in. */
  readonly hidden: readonly Path[]
  readonly withheld: readonly Path[]
}

/**
 * Fills in hidden values: a sent text that equals the shown one is replaced by the stored one. Permission to write a check does not include
 * its secrets, so `withheld` lists their paths if the check calls another address than before.
 */
export function keepSecrets(sent: Mapping, shown: Mapping, written: Mapping): Kept {
  const hidden: Path[] = []
  const definition = kept(sent, { shown, written, path: [], hidden }) as Mapping
  return { definition, hidden, withheld: isDeepStrictEqual(destinationOf(sent), destinationOf(shown)) ? [] : hidden }
}

type Counterparts = { readonly shown: unknown; readonly written: unknown; readonly path: Path; readonly hidden: Path[] }

function kept(sent: unknown, { shown, written, path, hidden }: Counterparts): unknown {
  if (typeof sent === 'string') {
    if (sent !== shown || typeof written !== 'string' || written === shown) return sent
    hidden.push(path)
    return written
  }
  if (typeof sent !== 'object' || sent === null) return sent
  const at = (name: string): Counterparts => ({
    shown: own(shown, name),
    written: own(written, name),
    path: [...path, Array.isArray(sent) ? Number(name) : name],
    hidden,
  })
  const parts = Object.entries(sent).map(([name, item]) => [name, kept(item, at(name))] as const)
  return Array.isArray(sent) ? parts.map(([, item]) => item) : Object.fromEntries(parts)
}

/** Fields that determine where a run connects, in a definition or its `request`. A group can supply the address. */
const endpointFields = ['hostname', 'port', 'nameServer', 'groupId']

export function destinationOf(definition: Mapping): unknown {
  return [definition, definition.request].map((part) => [originOf(own(part, 'url')), ...endpointFields.map((name) => own(part, name))])
}

/** Scheme, host and port of an address. Variables are compared as text. */
function originOf(address: unknown): unknown {
  if (typeof address !== 'string') return address
  if (hasVariable(address)) return /^[^:/]*:\/\/[^/?#\\]*/.exec(address)?.[0] ?? address
  return URL.canParse(address) ? new URL(address).origin : address
}

function own(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Mapping)[name] : undefined
}
