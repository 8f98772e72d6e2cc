import type { CheckType } from '../../checks/define.ts'
import { isMapping, type Mapping } from '../../collections/mapping.ts'
import { similar } from '../../text/nearest.ts'
import { configuredCheckSchema } from './config-schema.ts'
import { type Finding, must, type Path, pathText } from './faults.ts'

/** A part of a file; `file` is null for the config file itself. */
export type SourcePath = { readonly file: string | null; readonly path: Path }

/** The `defaults` of a file, an account or a group. */
export type Layer = { readonly defaults: Mapping; readonly place: SourcePath }

/** A check with its inherited fields, and the place of each. */
export type Inherited = { readonly check: Mapping; readonly from: ReadonlyMap<string, SourcePath> }

/** Fields that are never inherited. */
const ownFields: ReadonlySet<string> = new Set(['id', 'name', 'forEach'])

/**
 * Adds missing fields of its type to a check, from layers in order, nearest first. In a layer, fields of the type take precedence over
 * common ones. Values are not merged; null means that a field is not set.
 */
export function inherit(own: Mapping, layers: readonly Layer[], typeOf: (check: Mapping) => CheckType | undefined): Inherited {
  if (layers.length === 0) return { check: own, from: new Map() }
  const type = own.type ?? layers.find(({ defaults }) => defaults.type !== undefined)?.defaults.type
  const checkType = typeOf({ type })
  if (!checkType) return { check: own, from: new Map() }
  const { properties } = configuredCheckSchema(checkType)
  const check: Record<string, unknown> = { ...own }
  const from = new Map<string, SourcePath>()
  for (const { fields, place } of layers.flatMap((layer) => sourcesIn(layer, checkType)))
    for (const [name, value] of Object.entries(fields)) {
      if (!Object.hasOwn(properties, name) || ownFields.has(name)) continue
      if (Object.hasOwn(check, name)) continue
      check[name] = value
      from.set(name, { file: place.file, path: [...place.path, name] })
    }
  for (const name of Object.keys(check)) if (check[name] === null && Object.hasOwn(properties, name)) delete check[name]
  return { check, from }
}

type Source = { readonly fields: Mapping; readonly place: SourcePath }

function sourcesIn({ defaults, place }: Layer, { type }: CheckType): readonly Source[] {
  const ofType = defaults[type]
  const ofAll = { fields: defaults, place }
  return isMapping(ofType) ? [{ fields: ofType, place: { file: place.file, path: [...place.path, type] } }, ofAll] : [ofAll]
}

/** Validates the names in `defaults`. Values are validated in the checks that inherit them. */
export function defaultsFindings(defaults: Mapping, path: Path, checkTypes: readonly CheckType[]): readonly Finding[] {
  const fieldsOf = (types: readonly CheckType[]) => new Set(types.flatMap((type) => Object.keys(configuredCheckSchema(type).properties)))
  const ofAny = fieldsOf(checkTypes)
  const types = new Map(checkTypes.map((checkType) => [checkType.type, checkType]))
  return Object.entries(defaults).flatMap(([name, value]) => {
    const checkType = types.get(name)
    if (!checkType) return nameFindings(name, [...path, name], [ofAny, types.keys()])
    if (!isMapping(value)) return [must([...path, name], `a mapping of fields of ${name} checks`)]
    const ofType = fieldsOf([checkType])
    return Object.keys(value).flatMap((field) => nameFindings(field, [...path, name, field], [ofType]))
  })
}

function nameFindings(name: string, path: Path, known: readonly Iterable<string>[]): readonly Finding[] {
  if (ownFields.has(name)) return [{ path, at: 'name', text: `${pathText(path)} is not allowed here: each check has its own ${name}` }]
  const names = known.flatMap((some) => [...some])
  if (names.includes(name)) return []
  const [best] = similar(name, names, 1)
  return [{ path, at: 'name', text: `${pathText(path)} is not a field of checks${best ? `; did you mean ${best}?` : ''}` }]
}
