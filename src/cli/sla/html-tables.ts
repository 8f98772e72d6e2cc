import { escapeMarkup } from '../../text/escape-markup.ts'
import type { Show } from './cells.ts'
import type { Sheet, SheetCheck } from './sheet-schema.ts'

export function totalsList(show: Show): string {
  const entry = (label: string, key: string) => `<div><dt>${label}</dt>${show(`total ${key}`, 'dd', '')}</div>`
  const entries = [
    entry('Availability by time', 'availability by time'),
    entry('Availability by runs', 'availability by runs'),
    entry('Down', 'down'),
    entry('Outages', 'outages'),
  ]
  return `<dl class="totals">\n${entries.join('\n')}\n</dl>`
}

const figureColumns = [
  ['By time', 'availability by time'],
  ['By runs', 'availability by runs'],
  ['Results', 'results'],
  ['Failed', 'failed'],
  ['Outages', 'outages'],
] as const

const timeColumns = [
  ['Up', 'up'],
  ['Degraded', 'degraded'],
  ['Down', 'down'],
  ['Maintenance', 'maintenance'],
  ['Unknown', 'unknown'],
] as const

export const availabilityTable = (sheet: Sheet, show: Show) => checksTable(sheet, figureColumns, show)
export const timeTable = (sheet: Sheet, show: Show) => checksTable(sheet, timeColumns, show)

function checksTable({ checks }: Sheet, columns: typeof figureColumns | typeof timeColumns, show: Show): string {
  const figures = (of: string) => columns.map(([, key]) => show(`${of} ${key}`)).join('')
  const rows = checks.map(({ id, name }) => `<tr>${named(name, id)}${figures(`check ${id}`)}</tr>`)
  const foot = `<tfoot><tr><th scope="row">Total</th>${figures('total')}</tr></tfoot>`
  return table([['Check', ''], ...columns.map(([label]) => [label, 'n'] as const)], rows, foot)
}

export function outagesTable({ id, outages }: SheetCheck, show: Show): string {
  const rows = outages.map(({ maintenance }, i) => {
    const of = `check ${id} outage ${i + 1}`
    const detail = `${show(`${of} reason`, 'span', '')}${maintenance ? `<br>${show(`${of} maintenance`, 'small', '')}` : ''}`
    const results = `<br><small>Results </small>${show(`${of} results`, 'small', '')}`
    const times = `${show(`${of} from`, 'td', 't')}${show(`${of} to`, 'td', 't')}${show(`${of} lasted`)}`
    return `<tr>${times}${show(`${of} locations`, 'td', 'm')}<td class="w">${detail}${results}</td></tr>`
  })
  return table(
    [
      ['Began', 't'],
      ['Ended', 't'],
      ['Lasted', 'n'],
      ['Down at', 'm'],
      ['Reason', 'w'],
    ],
    rows,
  )
}

export function maintenanceTable({ maintenance }: Sheet, show: Show): string {
  if (maintenance.length === 0) return '<p>No maintenance of these checks touched the period.</p>'
  const rows = maintenance.map((_, i) => {
    const part = (name: string, className: string) => show(`maintenance ${i + 1} ${name}`, 'td', className)
    return `<tr>${part('name', 'w')}${part('from', 't')}${part('to', 't')}${part('lasts', 'n')}${part('checks', '')}</tr>`
  })
  return table(
    [
      ['Maintenance', 'w'],
      ['From', 't'],
      ['To', 't'],
      ['Lasts', 'n'],
      ['Checks', ''],
    ],
    rows,
  )
}

export function evidenceHtml({ checks }: Sheet, show: Show): string {
  const rows = checks.map(({ id, name }) => {
    const of = `check ${id}`
    return `<tr>${named(name, id)}${show(`${of} exported`, 'td', 'm')}${show(`${of} sha256`, 'td', 'hash')}</tr>`
  })
  return table(
    [
      ['Check', ''],
      ['Exported', 'm'],
      ['SHA-256', ''],
    ],
    rows,
  )
}

function table(head: readonly (readonly [label: string, className: string])[], rows: readonly string[], foot = ''): string {
  const cells = head.map(([label, className]) => `<th scope="col"${className === '' ? '' : ` class="${className}"`}>${label}</th>`)
  return `<table>\n<thead><tr>${cells.join('')}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n${foot}</table>`
}

function named(name: string, id: string): string {
  return `<th scope="row">${escapeMarkup(name)}<br><span class="id">${escapeMarkup(id)}</span></th>`
}
