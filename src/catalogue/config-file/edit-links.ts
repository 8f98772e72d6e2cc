import { isoText } from '../../time.ts'
import type { Link } from '../links.ts'
import type { LinkEntry } from './config-schema.ts'
import { withEntry, withoutEntry } from './edit-account.ts'

/** The text of the file with a link added to its account; everything else stays unchanged. */
export function withLink(text: string, link: Link): string {
  const entry = entryOf(link)
  const { created, expires, ...quoted } = entry
  const fields = Object.entries(quoted).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const line = `{ ${[...fields, `created: ${created}`, `expires: ${expires}`].join(', ')} }`
  return withEntry(text, link.account, { list: 'links', entry, line })
}

export function withoutLink(text: string, account: string, name: string): string {
  return withoutEntry(text, account, { list: 'links', name })
}

function entryOf({ id, name, path, body, signature, createdAt, expiresAt }: Link): LinkEntry {
  return { id, name, path, ...(body !== undefined && { body }), signature, created: isoText(createdAt), expires: isoText(expiresAt) }
}
