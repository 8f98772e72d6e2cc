import { type Document, isMap, isScalar, isSeq, type YAMLMap, type YAMLSeq } from 'yaml'
import type { Env } from '../../config.ts'
import { knownChecks, mappings } from '../policies/account-policies.ts'
import type { ConfigFolder } from './config-folder.ts'
import { edited } from './edit-account.ts'
import type { Path } from './faults.ts'
import type { SourcePath } from './inherit.ts'
import { readSource } from './source.ts'

type OwnedCheck = { readonly account: string; readonly id: string }

/** An entry with the checks that it defines: several if it has `forEach`, or if several accounts include its file. */
export type CheckEntryPath = SourcePath & { readonly checks: readonly OwnedCheck[] }

/** The entries of a valid config file and its included files. */
export function checkEntries(text: string, env: Env, folder: ConfigFolder): readonly CheckEntryPath[] {
  const { value, entryOf } = readSource(text, env, { folder })
  const found = new Map<string, { readonly place: SourcePath; readonly checks: OwnedCheck[] }>()
  for (const [account, { entry }] of mappings(value, 'accounts', []).entries())
    for (const [index, { id }] of knownChecks(entry, []).entries()) {
      const place = entryOf(account, index)
      const key = JSON.stringify([place.file, place.path])
      const known = found.get(key) ?? { place, checks: [] }
      known.checks.push({ account: String(entry.id), id })
      found.set(key, known)
    }
  return [...found.values()].map(({ place, checks }) => ({ ...place, checks }))
}

/**
 * Removes the entries at these paths from the text of a file, and keeps everything else, including comments. Throws `RangeError` if an
 * entry is behind an alias.
 */
export function withoutEntries(text: string, paths: readonly Path[]): string {
  return edited(text, (document) => {
    const lists = listsOf(document, paths)
    const cuts = [...lists].flatMap(([list, { items }]) => items.map((item) => cutOf(text, list.items[item])))
    const emptied = [...lists].flatMap(([list, { items, owner, name }]) =>
      items.length === list.items.length && !list.flow ? [emptyList(text, owner, name)] : [],
    )
    for (const [list, { items }] of lists) {
      const gone = new Set(items)
      list.items = list.items.filter((_, index) => !gone.has(index))
      if (list.items.length === 0) list.flow = true
    }
    const edits = [...cuts, ...emptied]
    return edits.every((edit) => edit !== null) ? applied(text, edits) : null
  })
}

type Removed = { readonly owner: YAMLMap; readonly name: string; readonly items: number[] }

function listsOf(document: Document, paths: readonly Path[]): ReadonlyMap<YAMLSeq, Removed> {
  const lists = new Map<YAMLSeq, Removed>()
  for (const path of paths) {
    const [at, name, index] = [path.slice(0, -2), String(path.at(-2)), Number(path.at(-1))]
    const owner = at.length === 0 ? document.contents : document.getIn(at)
    const list = isMap(owner) ? owner.get(name) : null
    if (!isMap(owner) || !isSeq(list) || !isMap(list.items[index])) throw new RangeError(`${path.join('.')} is part of an alias`)
    const known = lists.get(list) ?? { owner, name, items: [] }
    known.items.push(index)
    lists.set(list, known)
  }
  return lists
}

type TextEdit = { readonly start: number; readonly end: number; readonly text: string }

/** The lines of an entry; comments above and below it stay. */
function cutOf(text: string, item: unknown): TextEdit | null {
  if (!isMap(item) || !item.range) return null
  const [from, to] = item.range
  const lineEnd = text[to - 1] === '\n' ? to - 1 : text.indexOf('\n', to)
  return { start: text.lastIndexOf('\n', from - 1) + 1, end: lineEnd < 0 ? text.length : lineEnd + 1, text: '' }
}

/** `checks:` without entries would be null. */
function emptyList(text: string, owner: YAMLMap, name: string): TextEdit | null {
  const key = owner.items.map((pair) => pair.key).find((one) => isScalar(one) && one.value === name)
  const colon = isScalar(key) && key.range ? key.range[1] : -1
  return text[colon] === ':' ? { start: colon + 1, end: colon + 1, text: ' []' } : null
}

function applied(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: added } of edits.toSorted((one, other) => one.start - other.start)) {
    parts.push(text.slice(at, start), added)
    at = end
  }
  return [...parts, text.slice(at)].join('')
}
