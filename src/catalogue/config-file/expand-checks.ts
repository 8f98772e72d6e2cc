import type { CheckType } from '../../checks/define.ts'
import { isMapping, listOrNone, type Mapping } from '../../collections/mapping.ts'
import { type FoundIn, type Path, pathText } from './faults.ts'
import { combinationsOf, type EachValues, refersToEach, withEach } from './for-each.ts'
import { type Inherited, inherit, type Layer, type SourcePath } from './inherit.ts'
import { interpolateText, type Variables } from './interpolate.ts'

/** A check of a file with its inherited fields. Entries that are not mappings stay unchanged. */
export type ExpandedCheck = {
  readonly check: unknown
  /** Its entry in the file. `from` has the place of each inherited field. */
  readonly place: SourcePath
  readonly from: Inherited['from']
  /** The id of its group. */
  readonly group: string | null
}

/** A mapping with `checks` and `groups`. `layers` are the defaults that apply to it, nearest first. */
type Owner = { readonly owner: Mapping; readonly place: SourcePath; readonly layers: readonly Layer[]; readonly account: number }

type Context = { readonly layers: readonly Layer[]; readonly group: string | null }

type Expansion = {
  /** Empty if a limit is exceeded, which is reported as a finding. */
  checksOf(owner: Owner): readonly ExpandedCheck[]
  found(): readonly FoundIn[]
}

/**
 * Limits of a configuration: checks of all `forEach`, and characters of all checks with inherited fields. Real configurations have far
 * fewer.
 */
const maxMade = 100_000
const maxCharacters = 256 * 1024 * 1024
/** Files that may exceed these limits before others are skipped, because expanding each takes time. */
const maxOverruns = 3

export function createExpansion({
  variables,
  checkTypes,
}: {
  readonly variables: Variables
  readonly checkTypes: readonly CheckType[]
}): Expansion {
  const found: FoundIn[] = []
  const groups = new Map<string, SourcePath>()
  const types = new Map(checkTypes.map((checkType) => [checkType.type, checkType]))
  const typeOf = ({ type }: Mapping) => (typeof type === 'string' ? types.get(interpolateText(type, variables).text) : undefined)
  const sizeOf = createSizes()
  const spent = { made: 0, characters: 0 }
  let overruns = 0

  const say = ({ file, path }: SourcePath, words: string) =>
    void found.push({ file, finding: { path, at: 'value', text: `${pathText(path)}${words}` } })

  const isFull = () => spent.made > maxMade || spent.characters > maxCharacters

  /** Counts a check; the first beyond the limit is reported. */
  function count(check: unknown, made: number, place: SourcePath): void {
    spent.made += made
    spent.characters += sizeOf(check)
    if (spent.made > maxMade) say(place, ': forEach creates more than 100,000 checks in this configuration')
    else if (isFull()) say(place, ': the checks of this configuration, with inherited settings, exceed 256 Mi characters')
  }

  function expand(entry: unknown, place: SourcePath, { layers, group }: Context): readonly ExpandedCheck[] {
    if (isFull()) return []
    if (!isMapping(entry)) return [{ check: entry, place, from: new Map(), group }]
    const { forEach, ...own } = entry
    if (forEach === undefined) return expandOne(own, {}, { place, layers, group, made: 0 })
    const path = [...place.path, 'forEach']
    const combinations = combinationsOf(forEach, path)
    if ('findings' in combinations) {
      found.push(...combinations.findings.map((finding) => ({ file: place.file, finding })))
      return []
    }
    const identity = own.id === undefined ? 'name' : 'id'
    if (combinations.each.length > 1 && typeof own[identity] === 'string' && !refersToEach(own[identity]))
      say(
        { file: place.file, path },
        ` creates ${combinations.each.length} checks with the same ${identity}: put ${example(combinations.each)} into that`,
      )
    return combinations.each.flatMap((values) => (isFull() ? [] : expandOne(own, values, { place, layers, group, made: 1 })))
  }

  function expandOne(own: Mapping, values: EachValues, { place, layers, group, made }: Context & { place: SourcePath; made: number }) {
    const { check, from } = inherit(own, layers, (one) => typeOf(withEach(one, values, new Set()) as Mapping))
    const unknown = new Set<string>()
    const replaced = withEach(check, values, unknown)
    for (const name of unknown) say(place, `: \${each.${name}} is undefined: its forEach has no ${name}`)
    count(replaced, made, place)
    return [{ check: withTexts(check, replaced as Mapping), place, from, group }]
  }

  function ofGroup(entry: unknown, place: SourcePath, { layers, account }: Owner): readonly ExpandedCheck[] {
    if (!isMapping(entry)) return []
    const id = typeof entry.id === 'string' ? entry.id : null
    const earlier = groups.get(`${account} ${id}`)
    if (earlier)
      say(
        place,
        ` repeats the id of ${earlier.file === place.file ? '' : `${earlier.file ?? 'the config file'}: `}${pathText(earlier.path)}`,
      )
    groups.set(`${account} ${id}`, earlier ?? place)
    const own = isMapping(entry.defaults) ? [{ defaults: entry.defaults, place: below(place, 'defaults') }] : []
    return listOrNone(entry.checks).flatMap((check, index) =>
      expand(check, below(place, 'checks', index), { layers: [...own, ...layers], group: id }),
    )
  }

  return {
    checksOf(given) {
      const { owner, place, layers } = given
      const before = { ...spent }
      if (overruns >= maxOverruns) say(place, ': not read, because other files have far too many checks')
      if (overruns >= maxOverruns) return []
      const checks = [
        ...listOrNone(owner.checks).flatMap((check, index) => expand(check, below(place, 'checks', index), { layers, group: null })),
        ...listOrNone(owner.groups).flatMap((group, index) => ofGroup(group, below(place, 'groups', index), given)),
      ]
      if (!isFull()) return checks
      overruns++
      Object.assign(spent, before)
      return []
    },
    found: () => found,
  }
}

/** Fields that stay text, even if the value of `forEach` is not. */
const textFields = ['id', 'name', 'tags', 'locations', 'dependsOn', 'alerts']

function withTexts(template: Mapping, replaced: Mapping): Mapping {
  const changed = textFields.filter((name) => replaced[name] !== template[name])
  if (changed.length === 0) return replaced
  return { ...replaced, ...Object.fromEntries(changed.map((name) => [name, asText(replaced[name])])) }
}

const asText = (value: unknown): unknown => (Array.isArray(value) ? value.map(String) : String(value))

const below = ({ file, path }: SourcePath, ...steps: Path): SourcePath => ({ file, path: [...path, ...steps] })

const example = ([first = {}]: readonly EachValues[]) => `\${each.${Object.keys(first)[0] ?? 'name'}}`

/** Counts characters and parts of a value. Memoized, because many checks inherit the same parts. */
function createSizes(): (value: unknown) => number {
  const known = new WeakMap<object, number>()
  const sizeOf = (value: unknown): number => {
    if (typeof value === 'string') return value.length + 1
    if (typeof value !== 'object' || value === null) return 1
    const size = known.get(value) ?? Object.values(value).reduce((sum: number, part: unknown) => sum + sizeOf(part), 1)
    known.set(value, size)
    return size
  }
  return sizeOf
}
