import type { CheckRef } from '../../store/store.ts'
import type { Contents } from '../../store/transfer/contents.ts'
import type { AnswersCompared } from '../../store/transfer/verify-answers.ts'
import type { UnequalDay, Verification } from '../../store/transfer/verify-results.ts'
import { dateText, isoText } from '../../time.ts'

const maxListed = 20

export function resultsReport({ results, added, missing, more }: Verification): string {
  const lines = [
    ...(added > 0 ? [`${counted(added, 'result')} more arrived since then and were copied.`] : []),
    missing.length === 0
      ? `Compared all ${counted(results, 'result')} by check, start, location and id: none missing.`
      : `Results are missing on ${counted(missing.length, 'day')}:`,
    ...listed(missing.map(dayLine)),
    ...(more.length > 0
      ? [`On ${counted(more.length, 'day')} there are results that the source does not have:`, ...listed(more.map(dayLine))]
      : []),
  ]
  return `${lines.join('\n')}\n`
}

export function answersReport({ checks, questions, unequal }: AnswersCompared): string {
  const asked = `Compared ${counted(questions, 'question')} about ${counted(checks, 'check')}`
  if (unequal.length === 0) return `${asked}: the answers are identical.\n`
  const lines = unequal.map(
    ({ check, window, question }) => `${checkText(check)}, ${isoText(window.from)} to ${isoText(window.to)}: ${question}`,
  )
  return `${[`${asked}: ${unequal.length} answers differ:`, ...listed(lines)].join('\n')}\n`
}

type Closing = { readonly source: Contents; readonly destination: Contents; readonly isReleased: boolean }

/** The next steps. A data folder can be claimed, so that no server uses it; a database cannot. */
export function closingWords({ source, destination, isReleased }: Closing): string {
  const isFinal = `New results in ${source.name} are not copied: stop its servers and run this again before you switch.`
  const inFolder = `To switch, start the server with --data ${destination.name}, and without store in its config file.`
  const inDatabase = `To switch, start the server with store: { clickhouse: … } in its config file, or with TIDEMARK_CLICKHOUSE_URL.`
  return [...(isReleased ? [] : [isFinal]), destination.claim ? inFolder : inDatabase].join('\n')
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

function listed(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, maxListed).map((line) => `  ${line}`)
  return lines.length > maxListed ? [...shown, `  and ${lines.length - maxListed} more`] : shown
}

const checkText = ({ account, checkId }: CheckRef) => `${checkId} of ${account}`

function dayLine({ check, day, source, destination }: UnequalDay): string {
  return `${checkText(check)}, ${dateText(day)}: ${counted(source, 'result')} there, ${destination.toLocaleString('en-US')} here`
}
