/** `changed`: converted to another form; `lost`: a setting without an equivalent; `left out`: the whole item was not converted. */
export type ConversionOutcome = 'changed' | 'lost' | 'left out'

/** An item or setting of the input that was not converted exactly. */
export type ReportLine = {
  /** Such as `Homepage` or `channel Slack`. */
  readonly item: string
  readonly field: string | null
  readonly outcome: ConversionOutcome
  /** A sentence. */
  readonly why: string
}

/** An item of the input that became a check, with the id of the check. */
export type CarriedCheck = { readonly item: string; readonly id: string; readonly type: string }

export function reportText(lines: readonly ReportLine[]): string {
  return lines.map((line) => `${lineText(line)}\n`).join('')
}

export function lineText({ item, field, outcome, why }: ReportLine): string {
  return [outcome, oneLineText(item), ...(field === null ? [] : [oneLineText(field)]), oneLineText(why)].join(': ')
}

/** Prevents input from breaking report lines or controlling the terminal. */
function oneLineText(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
}
