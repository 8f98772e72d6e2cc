import { shortened } from '../../text/shortened.ts'
import type { Paint } from '../terminal/paint.ts'
import type { Changes } from './definition-changes.ts'

/** One line for each check, and one for each of its settings that changes. */
export function changesText({ added, changed, removed, unchanged }: Changes, paint: Paint): string {
  const lines = [
    ...added.map((check) => paint('good', `+ ${titleOf(check)}`)),
    ...changed.flatMap((check) => [
      paint('fair', `~ ${titleOf(check)}`),
      ...check.fields.map(({ field, before, after }) => `    ${field}: ${valueText(before)} → ${valueText(after)}`),
    ]),
    ...removed.map((check) => paint('bad', `- ${titleOf(check)}`)),
    `Checks: ${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged. Nothing else is compared.`,
  ]
  return `${lines.join('\n')}\n`
}

type Titled = { readonly id: string; readonly definition: Readonly<Record<string, unknown>> }

const titleOf = ({ id, definition }: Titled) => `${id}  ${shortened(String(definition.name))} (${String(definition.type)})`

function valueText(value: unknown): string {
  if (value === undefined) return '(none)'
  return shortened(typeof value === 'string' ? value : JSON.stringify(value))
}
