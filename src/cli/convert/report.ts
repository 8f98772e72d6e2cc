/** `changed`: carried over in another form; `lost`: a setting that is not; `left out`: the whole thing is not. */
export type ConversionOutcome = 'changed' | 'lost' | 'left out'

/** One thing of the input that did not come over as it was. */
export type ReportLine = {
  /** Such as `Homepage` or `channel Slack`. */
  readonly item: string
  readonly field: string | null
  readonly outcome: ConversionOutcome
  /** A sentence. */
  readonly why: string
}

/** An item of the input that became a check, under the id that it has in the output. */
export type CarriedCheck = { readonly item: string; readonly id: string; readonly type: string }

export function reportText(lines: readonly ReportLine[]): string {
  return lines.map((line) => `${lineText(line)}\n`).join('')
}

export function lineText({ item, field, outcome, why }: ReportLine): string {
  return [outcome, oneLineText(item), ...(field === null ? [] : [oneLineText(field)]), oneLineText(why)].join(': ')
}

/** Input may not break the lines of a report, nor change a terminal. */
function oneLineText(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
}
