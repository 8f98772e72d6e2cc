import { nearest } from '../../text/nearest.ts'
import { withoutControls } from '../../text/without-controls.ts'
import { CommandFailure } from '../context.ts'
import type { FetchedRow, FetchedValue, ReportBody } from './fetch-report.ts'
import { columnNames, flatRows } from './format.ts'

const operators = ['>=', '<=', '==', '!=', '>', '<'] as const
type Operator = (typeof operators)[number]

/** A condition of --fail-if, such as `responseTime_p95 > 800`. */
export type Condition = { readonly text: string; readonly column: string; readonly operator: Operator; readonly value: string }

/** Exit code for an invalid condition, so that 1 always means that a row matched. */
export const unreadable = 2

const grammar = /^\s*(\S+?(?: before)?)\s*(>=|<=|==|!=|>|<)\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>]+))\s*$/

export function parseCondition(text: string): Condition {
  const [, column, operator, ...values] = grammar.exec(text) ?? []
  const value = values.find((each) => each !== undefined)
  if (column === undefined || value === undefined)
    throw new CommandFailure(
      `--fail-if ${JSON.stringify(text)} is invalid. Use a column, one of ${operators.join(' ')}, and a value: responseTime_p95 > 800.`,
      unreadable,
    )
  const condition = { text: text.trim(), column, operator: operator as Operator, value }
  if (isOrder(condition) && numberOf(value) === null)
    throw new CommandFailure(`--fail-if ${JSON.stringify(text)} is invalid: ${operator} requires a number.`, unreadable)
  return condition
}

/** Finds matching rows per condition. Null never matches. Fails for a column that the report lacks or that cannot be compared. */
export function matchesOf(report: ReportBody, conditions: readonly Condition[]): readonly Match[] {
  const rows = report.series.flatMap(flatRows)
  const columns = [...new Set([...columnNames(rows), ...Object.keys(report.metadata)])]
  for (const condition of conditions) requireComparable(condition, columns, rows)
  return conditions.flatMap((condition) =>
    rows.filter((row) => matches(condition, row[condition.column])).map((row) => ({ condition, row })),
  )
}
type Match = { readonly condition: Condition; readonly row: FetchedRow }

const maxShown = 20

export function describeMatches(matched: readonly Match[], { metadata }: ReportBody): string {
  const lines = matched.slice(0, maxShown).map(({ condition: { text, column }, row }) => {
    const keys = Object.entries(row).filter(([name, cell]) => !(name in metadata) && (typeof cell === 'string' || name === 'statusCode'))
    const cells = [...keys, [column, row[column]]].map(([name, cell]) => `${name} ${cell}`)
    return `Failed: ${text}: ${withoutControls(cells.join(', '))}\n`
  })
  return [...lines, ...(matched.length > maxShown ? [`Failed: ${matched.length - maxShown} more rows.\n`] : [])].join('')
}

function requireComparable(condition: Condition, columns: readonly string[], rows: readonly FetchedRow[]): void {
  const { text, column, operator } = condition
  if (!columns.includes(column))
    throw new CommandFailure(
      `--fail-if ${JSON.stringify(text)}: the report has no column ${column}. Nearest: ${nearest(column, columns).join(', ')}.`,
      unreadable,
    )
  if (isOrder(condition) && rows.some((row) => typeof row[column] === 'string' || typeof row[column] === 'boolean'))
    throw new CommandFailure(
      `--fail-if ${JSON.stringify(text)}: ${column} is not a number, so ${operator} does not apply. Use == or !=.`,
      unreadable,
    )
}

function matches({ operator, value }: Condition, cell: FetchedValue | undefined): boolean {
  if (cell === null || cell === undefined) return false
  const order = compare(cell, value)
  if (operator === '==') return order === 0
  if (operator === '!=') return order !== 0
  if (operator === '>') return order > 0
  if (operator === '<') return order < 0
  return operator === '>=' ? order >= 0 : order <= 0
}

/** Compares numerically if both are numbers, else tests the texts for equality. */
function compare(cell: string | number | boolean, value: string): number {
  const number = numberOf(value)
  if (typeof cell === 'number' && number !== null) return cell - number
  return String(cell) === value ? 0 : Number.NaN
}

const isOrder = ({ operator }: Condition) => operator !== '==' && operator !== '!='

const numberOf = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null)
