import { parseClockTime } from '../../calendar/schedule-text.ts'
import { findZone, nearestZones, utc, type Zone } from '../../calendar/zone.ts'
import { type TObject, Type } from '../../schema/typebox.ts'
import { similar } from '../../text/nearest.ts'
import { Id, Label } from '../config-file/config-schema.ts'
import { type Finding, type Path, pathText } from '../config-file/faults.ts'
import { structureFindings } from '../config-file/structure.ts'
import type { Selection } from './policies.ts'

export const Name = Type.String({ minLength: 1, maxLength: 200, description: 'text of 1 to 200 characters' })

export const TimeZone = Type.String({ description: 'the name of a time zone such as Europe/Berlin' })

export const StartTime = Type.Refine(
  Type.String({ description: 'a clock time from 00:00 to 23:59' }),
  (text) => (parseClockTime(text) ?? 1440) < 1440,
)

export const EndTime = Type.Refine(
  Type.String({ description: 'a clock time from 00:00 to 24:00' }),
  (text) => parseClockTime(text) !== undefined,
)

const some = { minItems: 1, uniqueItems: true } as const

export const selectionFields = { checks: Type.Optional(Type.Array(Id, some)), tags: Type.Optional(Type.Array(Label, some)) }

export type PolicyEntry = Readonly<Record<string, unknown>>

/** Properties that belong to another variant of an entry, and why they do not belong to this one. */
export type Misplaced = { readonly names: readonly string[]; readonly why: string }

/** Validates an entry against the schema of its variant, and tells misplaced properties from unknown ones. */
export function entryFindings(schema: TObject, entry: PolicyEntry, path: Path, { names, why }: Misplaced): readonly Finding[] {
  const misplaced = names.filter((name) => Object.hasOwn(entry, name))
  const rest = Object.fromEntries(Object.entries(entry).filter(([name]) => !misplaced.includes(name)))
  return [...misplaced.map((name) => notAllowed([...path, name], why)), ...structureFindings(schema, rest, path)]
}

export function zoneFindings(timezone: string | undefined, path: Path): readonly Finding[] {
  if (timezone === undefined || findZone(timezone)) return []
  return [valueFinding(path, `there is no time zone ${timezone}; nearest: ${nearestZones(timezone).join(', ')}`)]
}

/** Ids that no check of the account has. A tag without checks is allowed: checks may get it later. */
export function selectionFindings(checks: readonly string[] | undefined, path: Path, known: readonly string[]): readonly Finding[] {
  const ids = new Set(known)
  const unknown = [...(checks ?? []).entries()].filter(([, id]) => !ids.has(id))
  return unknown.slice(0, maxFindings).map(([index, id]) => {
    const near = similar(id, known, 1)
    const hint = known.length === 0 ? '; the account has no checks' : near.length > 0 ? `; did you mean ${near.join()}?` : ''
    return valueFinding([...path, 'checks', index], `there is no check with the id ${id}${hint}`)
  })
}

/** Each compares an id with those of all checks. */
const maxFindings = 20

export function valueFinding(path: Path, text: string): Finding {
  return { path, at: 'value', text: `${pathText(path)}: ${text}` }
}

/** The zone of a name that `zoneFindings` has accepted; UTC without one. */
export function zoneOf(timezone: string | undefined): Zone {
  return (timezone === undefined ? undefined : findZone(timezone)) ?? utc
}

export function selectionOf({ checks, tags }: Partial<Selection>): Selection {
  return { checks: checks ?? [], tags: tags ?? [] }
}

function notAllowed(path: Path, why: string): Finding {
  return { path, at: 'name', text: `${pathText(path)} is not allowed here: ${why}` }
}
