import { stringify } from 'yaml'
import type { ConfigEntry, DraftParts } from './draft.ts'
import { environmentLine } from './written-text.ts'

export function configFileText(
  { checks, groups, channels, rules, maintenance, canary }: DraftParts,
  { account, retentionDays }: { readonly account: string; readonly retentionDays: number | null },
): string {
  const entries = [...checks.values()].map(({ group, ...check }) => ({ group, entry: checkEntry(check, rules.length > 0) }))
  const inGroup = (id: string | null) => entries.filter(({ group }) => group === id).map(({ entry }) => entry)
  const grouped = [...groups].map(([id, name]) => ({ id, name, checks: inGroup(id) })).filter((group) => group.checks.length > 0)
  const parts = {
    id: account,
    checks: inGroup(null),
    groups: grouped,
    maintenance,
    channels,
    alerts: rules,
    canary: Object.fromEntries(canary),
  }
  const given = Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0))
  const text = stringify(
    { ...(retentionDays !== null && { retention: `${retentionDays}d` }), accounts: [given] },
    { lineWidth: 0, aliasDuplicateObjects: false },
  )
  return `# yaml-language-server: $schema=http://127.0.0.1:8787/tidemark.schema.json\n${text}`
}

type Written = { readonly entry: ConfigEntry; readonly alerts: readonly string[] | null }

function checkEntry({ entry, alerts }: Written, hasRules: boolean): ConfigEntry {
  return { ...entry, ...(alerts !== null && hasRules && { alerts }) }
}

export function environmentText({ variables }: DraftParts): string {
  return [...variables].map(([name, value]) => environmentLine(name, value)).join('')
}
