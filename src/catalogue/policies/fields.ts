import { parseClockTime } from '../../calendar/schedule-text.ts'
import { findZone, nearestZones, utc, type Zone } from '../../calendar/zone.ts'
import { Duration, durationMs } from '../../checks/duration.ts'
import { Check, type TObject, Type } from '../../schema/typebox.ts'
import { similar } from '../../text/nearest.ts'
import { Id, Label } from '../config-file/entry-fields.ts'
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

/** A duration between these, both included. */
export function durationBetween(shortest: string, longest: string) {
  const [shortestMs, longestMs] = [durationMs(shortest), durationMs(longest)]
  const isWithin = (text: string) => Check(Duration, text) && durationMs(text) >= shortestMs && durationMs(text) <= longestMs
  return Type.Refine(Type.String({ description: `a duration from ${shortest} to ${longest}` }), isWithin)
}

const some = { minItems: 1, uniqueItems: true } as const

export const selectionFields = { checks: Type.Optional(Type.Array(Id, some)), tags: Type.Optional(Type.Array(Label, some)) }

export type PolicyEntry = Readonly<Record<string, unknown>>

/** Properties that belong to another variant of an entry, and why they do not belong to this one. */
type Misplaced = { readonly names: readonly string[]; readonly why: string }

/** Validates an entry against the schema of its variant, and distinguishes misplaced properties from unknown ones. */
export function entryFindings(schema: TObject, entry: PolicyEntry, path: Path, { names, why }: Misplaced): readonly Finding[] {
  const misplaced = names.filter((name) => Object.hasOwn(entry, name))
  const rest = Object.fromEntries(Object.entries(entry).filter(([name]) => !misplaced.includes(name)))
  return [...misplaced.map((name) => notAllowed([...path, name], why)), ...structureFindings(schema, rest, path)]
}

export function zoneFindings(timezone: string | undefined, path: Path): readonly Finding[] {
  if (timezone === undefined || findZone(timezone)) return []
  return [valueFinding(path, `unknown time zone ${timezone}; nearest: ${nearestZones(timezone).join(', ')}`)]
}

/** Returns a finding if no entry has this id. */
export type Lookup = (id: string, path: Path) => readonly Finding[]

/** Looks up ids of an account. `kind` and `kinds` describe the entries, such as `check with the id` and `checks`. */
export function lookupAmong(known: readonly string[], { kind, kinds }: { readonly kind: string; readonly kinds: string }): Lookup {
  const ids = new Set(known)
  let hints = maxHints
  const hintFor = (id: string): string => {
    if (ids.size === 0) return `; the account has no ${kinds}`
    if (hints-- <= 0) return ''
    const near = similar(id, known, 1)
    return near.length > 0 ? `; did you mean ${near.join()}?` : ''
  }
  return (id, path) => (ids.has(id) ? [] : [valueFinding(path, `there is no ${kind} ${id}${hintFor(id)}`)])
}

/** Each hint compares an id with all known ones. */
const maxHints = 20

export function lookupCheck(known: readonly string[]): Lookup {
  const lookup = lookupAmong(known, { kind: 'check with the id', kinds: 'checks' })
  return (id, path) => lookup(id, path).map((finding) => ({ ...finding, isUnknownCheck: true }))
}

/** Finds references to unknown checks. Tags without checks are allowed: checks may get them later. */
export function selectionFindings(checks: readonly string[] | undefined, path: Path, checkId: Lookup): readonly Finding[] {
  return (checks ?? []).flatMap((id, index) => checkId(id, [...path, 'checks', index]))
}

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

export function notAllowed(path: Path, why: string): Finding {
  return { path, at: 'name', text: `${pathText(path)} is not allowed here: ${why}` }
}
