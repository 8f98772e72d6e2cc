import { nearest } from '../text/nearest.ts'
import { temporal } from './temporal.ts'

/** A time zone by its IANA name; made by `findZone` only. */
export type Zone = { readonly name: string }

export const utc: Zone = { name: 'UTC' }

export const isUtc = ({ name }: Zone) => name === utc.name

/** Cache by upper-case name. Bounded by the number of zones, since only existing ones are cached. */
const foundZones = new Map<string, Zone>()

const grammar = /^[a-z][a-z0-9_+-]*(\/[a-z0-9_+-]+)*$/i

/** The zone of an IANA name in any case; offsets such as `+02:00` are not accepted. */
export function findZone(name: string): Zone | undefined {
  if (!grammar.test(name)) return undefined
  const key = name.toUpperCase()
  const zone = foundZones.get(key) ?? lookUpZone(name)
  if (zone) foundZones.set(key, zone)
  return zone
}

/** The names of UTC in upper case. */
const namesOfUtc = new Set(['UTC', 'ETC/UTC', 'UCT', 'ETC/UCT', 'UNIVERSAL', 'ETC/UNIVERSAL', 'ZULU', 'ETC/ZULU'])

function lookUpZone(name: string): Zone | undefined {
  if (namesOfUtc.has(name.toUpperCase())) return utc
  try {
    return { name: new (temporal().ZonedDateTime)(0n, name).timeZoneId }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The zones with names closest to a misspelled one, best first. A name without a region is compared with cities. */
export function nearestZones(name: string): readonly string[] {
  const names = zoneNames()
  if (name.includes('/')) return nearest(name, names)
  const byCity = new Map(names.map((known) => [cityOf(known), known]))
  return nearest(name.replaceAll(' ', '_'), [...byCity.keys()]).map((city) => byCity.get(city) ?? city)
}

const cityOf = (name: string) => name.slice(name.lastIndexOf('/') + 1)

/** Current names that some runtimes know but list under the older name. */
const renamed = [
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
]

const zoneNames = () => [...new Set([utc.name, ...Intl.supportedValuesOf('timeZone'), ...renamed])]
