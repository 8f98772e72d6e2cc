import { isMap, isSeq, type LineCounter, type YAMLMap } from 'yaml'
import type { KeyEntry } from './config-schema.ts'
import { accountNode, edited, withEntry } from './edit-account.ts'

/** The text of the file with a key added to that account; everything else stays unchanged. */
export function withKey(text: string, account: string, entry: KeyEntry): string {
  return withEntry(text, account, { list: 'keys', entry, line: keyLine(entry) })
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

function cutLines(text: string, lines: LineCounter, item: YAMLMap): string | null {
  if (!item.range) return null
  const first = lines.linePos(item.range[0]).line
  const last = lines.linePos(Math.max(item.range[0], item.range[1] - 1)).line
  const all = text.split('\n')
  all.splice(first - 1, last - first + 1)
  return all.join('\n')
}

/** A key as an entry of the file, on one line. */
export function keyLine({ id, name, hash, scopes }: KeyEntry): string {
  const start = id === undefined ? '' : `id: ${JSON.stringify(id)}, `
  return `{ ${start}name: ${JSON.stringify(name)}, hash: ${JSON.stringify(hash)}, scopes: [${scopes.join(', ')}] }`
}
