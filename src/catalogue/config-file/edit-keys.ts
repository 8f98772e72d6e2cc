import type { KeyEntry } from './config-schema.ts'
import { withEntry, withoutEntry } from './edit-account.ts'

/** The text of the file with a key added to that account; everything else stays unchanged. */
export function withKey(text: string, account: string, entry: KeyEntry): string {
  return withEntry(text, account, { list: 'keys', entry, line: keyLine(entry) })
}

export function withoutKey(text: string, account: string, name: string): string {
  return withoutEntry(text, account, { list: 'keys', name })
}

/** A key as an entry of the file, on one line. */
export function keyLine({ id, name, hash, scopes }: KeyEntry): string {
  const start = id === undefined ? '' : `id: ${JSON.stringify(id)}, `
  return `{ ${start}name: ${JSON.stringify(name)}, hash: ${JSON.stringify(hash)}, scopes: [${scopes.map(flowText).join(', ')}] }`
}

/** Quoted unless YAML reads it as plain text. */
function flowText(text: string): string {
  return /^[\w:.-]+$/.test(text) ? text : JSON.stringify(text)
}
