import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'

type List = 'keys' | 'links' | 'maintenance'

/** An entry of a list in an account; `line` is the entry as YAML on one line. */
type ListEntry = { readonly list: List; readonly entry: object; readonly line: string }

/**
 * Edits the document, and returns the text after an equivalent line edit, or null. The line edit is preferred if it parses to the same
 * value.
 */
type Edit = (document: Document, lines: LineCounter) => string | null

/** The text of the file with an entry added to a list of that account; everything else stays unchanged. */
export function withEntry(text: string, account: string, added: ListEntry): string {
  return edited(text, (document) => {
    const owner = accountNode(document, account)
    const list = owner.get(added.list)
    if (isSeq(list)) list.add(document.createNode(added.entry, { flow: true }))
    else owner.set(added.list, document.createNode([added.entry]))
    return inserted(text, owner, list, added)
  })
}

/** The text of the file without the entry of that name; everything else stays unchanged. */
export function withoutEntry(text: string, account: string, { list, name }: { readonly list: List; readonly name: string }): string {
  return edited(text, (document, lines) => {
    const entries = accountNode(document, account).get(list)
    if (!isSeq(entries)) throw new RangeError(`no ${list} in ${account}`)
    const index = entries.items.findIndex((item) => isMap(item) && item.get('name') === name)
    const item = entries.items[index]
    if (!isMap(item)) throw new RangeError(`no ${name} in the ${list} of ${account}`)
    const cut = entries.items.length > 1 ? cutLines(text, lines, item) : null
    entries.delete(index)
    return cut
  })
}

function cutLines(text: string, lines: LineCounter, item: YAMLMap): string | null {
  if (!item.range) return null
  const first = lines.linePos(item.range[0]).line
  const last = lines.linePos(Math.max(item.range[0], item.range[1] - 1)).line
  const all = text.split('\n')
  all.splice(first - 1, last - first + 1)
  return all.join('\n')
}

/**
 * Prefers the line edit, which keeps formatting, if it parses to the same value as the document edit. Otherwise serializes the document.
 */
export function edited(text: string, edit: Edit): string {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const byLines = edit(document, lines)
  const wanted: unknown = document.toJS()
  if (byLines !== null && parsesTo(byLines, wanted)) return byLines
  const isJson = text.trimStart().startsWith('{')
  return isJson ? `${JSON.stringify(wanted, null, 2)}\n` : document.toString({ lineWidth: 0 })
}

function accountNode(document: Document, id: string): YAMLMap {
  const accounts = document.get('accounts')
  const node = isSeq(accounts) ? accounts.items.find((item) => isMap(item) && item.get('id') === id) : undefined
  if (!isMap(node)) throw new RangeError(`no account ${id}`)
  return node
}

function parsesTo(text: string, wanted: unknown): boolean {
  const document = parseDocument(text)
  return document.errors.length === 0 && isDeepStrictEqual(document.toJS(), wanted)
}

function inserted(text: string, owner: YAMLMap, list: unknown, { list: name, line }: ListEntry): string | null {
  if (isSeq(list)) return afterLastEntry(text, list, line)
  const id = owner.items.find(({ key }) => isScalar(key) && key.value === 'id')?.key
  if (list !== undefined || !isScalar(id) || !id.range) return null
  const indent = ' '.repeat(id.range[0] - lineStart(text, id.range[0]))
  return insertLine(text, id.range[0], `${indent}${name}:\n${indent}  - ${line}`)
}

/** The new entry is already in `list`, so the last one with a range in the text is the one before it. */
function afterLastEntry(text: string, list: YAMLSeq, line: string): string | null {
  const last = list.items.findLast((item) => isMap(item) && item.range)
  if (!isMap(last) || !last.range) return null
  const start = text.slice(lineStart(text, last.range[0]))
  const indent = /^( *)- /.exec(start)?.[1]
  return indent === undefined ? null : insertLine(text, Math.max(last.range[0], last.range[1] - 1), `${indent}- ${line}`)
}

const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1

function insertLine(text: string, offset: number, line: string): string {
  const end = text.indexOf('\n', offset)
  return end < 0 ? `${text}\n${line}\n` : `${text.slice(0, end)}\n${line}${text.slice(end)}`
}
