import type { Schemas } from '../../client/index.ts'
import { withoutControls } from '../../text/without-controls.ts'
import { alignedTable } from './table.ts'

export type ListedAlert = Schemas['Alert']
export type ListedSilence = Schemas['Silence']

/** A line per alert; ids are cut to the length that `tidemark alert ack` needs. */
export function alertTable(alerts: readonly ListedAlert[], width?: number): string {
  if (alerts.length === 0) return 'No alerts in this period.\n'
  const rows = alerts.map((alert) => {
    const { id, severity, title, openedAt } = alert
    return [id.slice(0, 8), stateOf(alert), severity, clock(openedAt), title, notifiedChannels(alert)]
  })
  return alignedTable(['id', 'state', 'severity', 'opened', 'what', 'notified'], rows, { width })
}

function stateOf({ closedAt, acknowledged }: ListedAlert): string {
  if (closedAt !== null) return `closed ${clock(closedAt)}`
  return acknowledged ? `acknowledged by ${acknowledged.by}` : 'open'
}

/** Notified channels, and those with a pending message. */
function notifiedChannels({ channels, messages }: ListedAlert): string {
  const notified = channels.filter(({ firstAt }) => firstAt !== null).map(({ channel }) => channel)
  const pending = messages.filter(({ state }) => state === 'waiting' || state === 'givenUp')
  return (
    [
      ...notified,
      ...pending.map(
        ({ channel, state, answer }) => `${channel} (${state === 'waiting' ? 'not yet' : 'given up'}${answer ? `: ${answer}` : ''})`,
      ),
    ].join(', ') || 'nobody'
  )
}

export function silenceTable(silences: readonly ListedSilence[], width?: number): string {
  const rows = silences.map(({ id, checks, tags, from, to, by, comment }) => {
    const parts = [...(checks.length > 0 ? [checks.join(', ')] : []), ...(tags.length > 0 ? [`tagged ${tags.join(' or ')}`] : [])]
    return [id.slice(0, 8), parts.join(' if ') || 'all', clock(from), clock(to), by, comment]
  })
  return alignedTable(['id', 'checks', 'from', 'to', 'by', 'comment'], rows, { width })
}

export function explanationText({ name, rules }: Schemas['AlertExplanation']): string {
  if (rules.length === 0) return `${name}: the account has no alert rules. Add them under alerts: in the config file.\n`
  return rules.map(({ rule, reasons }) => `${rule}\n${reasons.map(({ text }) => `  ${withoutControls(text)}\n`).join('')}`).join('')
}

const clock = (iso: string) => `${iso.slice(0, 19)}Z`
