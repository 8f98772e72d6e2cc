import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import type { KeyEntry } from './config-schema.ts'

/** The text of the file with a key added to that account; everything else stays unchanged. */
export function withKey(text: string, account: string, entry: KeyEntry): string {
  return edited(text, (document) => {
    const owner = accountNode(document, account)
    const keys = owner.get('keys')
    if (isSeq(keys)) keys.add(document.createNode(entry, { flow: true }))
    else owner.set('keys', document.createNode([entry]))
    return inserted(text, owner, keys, entry)
  })
}

/** The text of the file without the key of that name. */
export function withoutKey(text: string, account: string, name: string): string {
  return edited(text, (document, lines) => {
    const keys = accountNode(document, account).get('keys')
    if (!isSeq(keys)) throw new RangeError(`no keys in ${account}`)
    const index = keys.items.findIndex((item) => isMap(item) && item.get('name') === name)
    const item = keys.items[index]
    if (!isMap(item)) throw new RangeError(`no key ${name} in ${account}`)
    const cut = keys.items.length > 1 ? cutLines(text, lines, item) : null
    keys.delete(index)
    return cut
  })
}

type Edit = (document: Document, lines: LineCounter) => string | null

/** Prefers the line edit, which keeps formatting, where it parses to the same value as the document edit; else serializes the document. */
function edited(text: string, edit: Edit): string {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const byLines = edit(document, lines)
  const wanted: unknown = document.toJS()
  if (byLines !== null && parsesTo(byLines, wanted)) return byLines
  const isJson = text.trimStart().startsWith('{')
  return isJson ? `${JSON.stringify(wanted, null, 2)}\n` : document.toString({ lineWidth: 0 })
}

function parsesTo(text: string, wanted: unknown): boolean {
  const document = parseDocument(text)
  return document.errors.length === 0 && isDeepStrictEqual(document.toJS(), wanted)
}

function accountNode(document: Document, id: string): YAMLMap {
  const accounts = document.get('accounts')
  const node = isSeq(accounts) ? accounts.items.find((item) => isMap(item) && item.get('id') === id) : undefined
  if (!isMap(node)) throw new RangeError(`no account ${id}`)
  return node
}

function inserted(text: string, owner: YAMLMap, keys: unknown, entry: KeyEntry): string | null {
  const line = keyLine(entry)
  if (isSeq(keys)) return afterLastKey(text, keys, line)
  const id = owner.items.find(({ key }) => isScalar(key) && key.value === 'id')?.key
  if (keys !== undefined || !isScalar(id) || !id.range) return null
  const indent = ' '.repeat(id.range[0] - lineStart(text, id.range[0]))
  return insertLine(text, id.range[0], `${indent}keys:\n${indent}  - ${line}`)
}

/** The new key is already in `keys`, so the last one with a range in the text is the one before it. */
function afterLastKey(text: string, keys: YAMLSeq, line: string): string | null {
  const last = keys.items.findLast((item) => isMap(item) && item.range)
  if (!isMap(last) || !last.range) return null
  const start = text.slice(lineStart(text, last.range[0]))
  const indent = /^( *)- /.exec(start)?.[1]
  return indent === undefined ? null : insertLine(text, Math.max(last.range[0], last.range[1] - 1), `${indent}- ${line}`)
}

function cutLines(text: string, lines: LineCounter, item: YAMLMap): string | null {
  if (!item.range) return null
  const first = lines.linePos(item.range[0]).line
  const last = lines.linePos(Math.max(item.range[0], item.range[1] - 1)).line
  const all = text.split('\n')
  all.splice(first - 1, last - first + 1)
  return all.join('\n')
}

function keyLine({ id, name, hash, scopes }: KeyEntry): string {
  const start = id === undefined ? '' : `id: ${JSON.stringify(id)}, `
  return `{ ${start}name: ${JSON.stringify(name)}, hash: ${JSON.stringify(hash)}, scopes: [${scopes.join(', ')}] }`
}

const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1

function insertLine(text: string, offset: number, line: string): string {
  const end = text.indexOf('\n', offset)
  return end < 0 ? `${text}\n${line}\n` : `${text.slice(0, end)}\n${line}${text.slice(end)}`
}
