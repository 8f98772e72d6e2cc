import { shortened } from '../../text/shortened.ts'
import type { Paint } from '../terminal/paint.ts'
import type { Changes, Named } from './definition-changes.ts'

/** One line for each thing that changes, and one for each of its settings. */
export function changesText({ added, changed, removed }: Changes, paint: Paint, titleOf: (named: Named) => string): string {
  const lines = [
    ...added.map((one) => paint('good', `+ ${titleOf(one)}`)),
    ...changed.flatMap((one) => [
      paint('fair', `~ ${titleOf(one)}`),
      ...one.fields.map(({ field, before, after }) => `    ${field}: ${valueText(before)} → ${valueText(after)}`),
    ]),
    ...removed.map((one) => paint('bad', `- ${titleOf(one)}`)),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

export const countsText = ({ added, changed, removed, unchanged }: Changes) =>
  `${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged.`

function valueText(value: unknown): string {
  if (value === undefined) return '(none)'
  return shortened(typeof value === 'string' ? value : JSON.stringify(value))
}
