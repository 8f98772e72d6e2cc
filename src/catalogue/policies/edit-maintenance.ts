import { isoText } from '../../time.ts'
import { withEntry } from '../config-file/edit-account.ts'

type NewMaintenance = {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly checks: readonly string[]
  readonly tags: readonly string[]
}

/** The text of the file with a maintenance added to that account; everything else stays unchanged. */
export function withMaintenance(text: string, account: string, maintenance: NewMaintenance): string {
  const { name, checks, tags } = maintenance
  const [from, to] = [maintenanceTime(maintenance.from), maintenanceTime(maintenance.to)]
  const entry = { name, from, to, ...(checks.length > 0 && { checks }), ...(tags.length > 0 && { tags }) }
  const lists = Object.entries({ checks, tags }).filter(([, items]) => items.length > 0)
  const selection = lists.map(([list, items]) => `, ${list}: [${items.map((item) => JSON.stringify(item)).join(', ')}]`).join('')
  const line = `{ name: ${JSON.stringify(name)}, from: ${from}, to: ${to}${selection} }`
  return withEntry(text, account, { list: 'maintenance', entry, line })
}

/** An ISO timestamp in UTC, without milliseconds if they are zero. */
export function maintenanceTime(instant: number): string {
  return isoText(instant).replace('.000Z', 'Z')
}
