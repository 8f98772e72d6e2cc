import { type Check, targetOf } from '../../catalogue/catalogue.ts'
import type { Metric, Metrics } from '../../checks/metric.ts'
import type { AssertionOutcome } from '../../checks/probe/judge/judge.ts'
import type { Measured } from '../../checks/probe/run.ts'
import type { Executed } from '../../runner/execute.ts'
import type { PageResult, Result } from '../../store/store.ts'
import { withoutControls } from '../../text/without-controls.ts'
import type { Paint } from './paint.ts'
import { bars } from './run-bars.ts'
import { shownNumber, withUnit } from './units.ts'

type RunView = {
  readonly check: Pick<Check, 'name' | 'checkType' | 'settings' | 'secrets'>
  readonly executed: Pick<Executed, 'result' | 'measured'>
  readonly paint: Paint
}

/** Control characters are removed, because a monitored server controls errors, values and notes. */
export function viewRun({ check, executed: { result, measured }, paint }: RunView): string {
  const { metrics } = check.checkType
  const sections = [
    [headline(check, result, paint), ...outcome(result, paint)],
    bars({ checkType: check.checkType, values: result.values, paint }),
    figures(metrics, result.values),
    titled(
      'Assertions',
      (measured.assertions ?? []).map((one) => assertionLine(one, paint)),
      paint,
    ),
    titled(
      'Pages',
      result.pages.flatMap((page, index) => pageLines(page, index, metrics)),
      paint,
    ),
    titled('Notes', notesOf(measured), paint),
    titled('Result as stored', indented(JSON.stringify(result, null, 2).split('\n')), paint),
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** A failed attempt that will be retried. */
export function viewRetry(attempt: number, measured: Measured<Metrics>, retryInMs: number, paint: Paint): string {
  const reason = withoutControls(measured.failure ?? 'too slow')
  return `${paint('bad', `✗ attempt ${attempt}: ${reason}`)}${paint('faint', `; retry in ${shownNumber(retryInMs / 1000)} s`)}\n`
}

function headline(check: RunView['check'], { runLocation }: Result, paint: Paint): string {
  const target = withoutControls(Object.values(targetOf(check)).join(' '))
  return [paint('strong', withoutControls(check.name)), check.checkType.label, target, paint('faint', `at ${runLocation}`)]
    .filter((part) => part !== '')
    .join('  ')
}

function outcome({ hasFailures, isDegraded, attempts, error }: Result, paint: Paint): readonly string[] {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : ''
  if (hasFailures) return [paint('bad', `✗ failing${tries}: ${withoutControls(error ?? 'no reason given')}`)]
  return [isDegraded ? paint('fair', `! degraded${tries}`) : paint('good', `✓ passing${tries}`)]
}

function figures(metrics: Metrics, values: Result['values']): readonly string[] {
  const shown = Object.entries(metrics).filter(([, { unit, perPage }]) => unit !== 'milliseconds' && !perPage)
  const lines = shown.flatMap(([name, { label, unit }]) => {
    const value = values[name]
    return value === undefined ? [] : [`  ${label}: ${withUnit(value, unit)}`]
  })
  const others = Object.keys(values).filter((name) => !Object.hasOwn(metrics, name))
  return [...lines, ...others.map((name) => `  ${name}: ${values[name]}`)]
}

function assertionLine({ text, passed, actual }: AssertionOutcome, paint: Paint): string {
  const words = withoutControls(text)
  return passed ? `  ${paint('good', '✓')} ${words}` : `  ${paint('bad', `✗ ${words}`)}  was ${withoutControls(actual)}`
}

function pageLines({ pageUrl, values }: PageResult, index: number, metrics: Metrics): readonly string[] {
  const measured = Object.entries(metrics).flatMap(([name, { unit }]: [string, Metric]) => {
    const value = values[name]
    return value === undefined ? [] : [`${name} ${withUnit(value, unit)}`]
  })
  return [`  ${index}  ${withoutControls(pageUrl)}`, `     ${measured.join('  ') || 'nothing measured'}`]
}

function notesOf({ notes = [] }: Measured<Metrics>): readonly string[] {
  return indented(notes.flatMap((note) => note.split('\n').map(withoutControls)))
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}

function titled(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : [paint('strong', title), ...lines]
}
