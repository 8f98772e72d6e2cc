import { durationMs } from '../../checks/duration.ts'
import { encodings } from '../../checks/probe/redact.ts'
import { Port, Url } from '../../checks/probe/settings.ts'
import { Check, type Static, Type } from '../../schema/typebox.ts'
import { closed, Label } from '../config-file/entry-fields.ts'
import { type Finding, must, type Path, pathText } from '../config-file/faults.ts'
import { structureFindings } from '../config-file/structure.ts'
import { defaultDeadManEveryMs } from './alert-defaults.ts'
import { durationBetween, type PolicyEntry } from './fields.ts'
import type { Canary, DeadManSwitch } from './policies.ts'

const Endpoint = Type.Refine(
  Type.String({ maxLength: 300, description: 'a host and a port such as one.one.one.one:443 or [2606:4700::1111]:443' }),
  (text) => /^(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?):[1-9]\d{0,4}$/.test(text) && hasPort(text),
)
const Endpoints = Type.Array(Endpoint, { minItems: 1, maxItems: 10, uniqueItems: true })
const maxLocations = 100

export const CanaryEntry = Type.Record(Type.String(), Endpoints)
export const DeadManEntry = Type.Object({ url: Url, every: Type.Optional(durationBetween('10s', '1d')) }, closed)
export type DeadManEntry = Static<typeof DeadManEntry>

/** Validates `canary` of an account: the targets that each location must be able to reach. */
export function canaryFindings(canary: PolicyEntry, path: Path): readonly Finding[] {
  const entries = Object.entries(canary)
  if (entries.length > maxLocations) return [must(path, `a mapping with at most ${maxLocations} locations in it`)]
  return entries.flatMap(([location, targets]) => [
    ...(Check(Label, location) ? [] : [badLocation([...path, location])]),
    ...structureFindings(Endpoints, targets, [...path, location]),
  ])
}

export function toCanaries(canary: Readonly<Record<string, readonly string[]>>): readonly Canary[] {
  return Object.entries(canary).map(([location, targets]) => ({ location, targets }))
}

export function deadManFindings(entry: PolicyEntry, path: Path): readonly Finding[] {
  return structureFindings(DeadManEntry, entry, path)
}

/** Everything but the origin is secret: nothing else protects such a URL. */
export function toDeadManSwitch({ url, every }: DeadManEntry, substituted: readonly string[]): DeadManSwitch {
  const { origin, pathname, search, username, password } = new URL(url)
  const parts = [pathname.slice(1), search.slice(1), username, password, url.slice(origin.length + 1)].filter((part) => part !== '')
  const secrets = [...new Set([...substituted, ...parts.flatMap(encodings)])]
  return { url, everyMs: every === undefined ? defaultDeadManEveryMs : durationMs(every), secrets }
}

function badLocation(path: Path): Finding {
  return { path, at: 'name', text: `${pathText(path)} must be the name of a location: text of 1 to 128 characters without commas` }
}

function hasPort(text: string): boolean {
  return Check(Port, Number(text.slice(text.lastIndexOf(':') + 1)))
}
