import type { CheckType } from '../checks/define.ts'
import type { Metric, Unit } from '../checks/metric.ts'
import { idGrammar } from '../ids/id-grammar.ts'
import type { PageResult } from '../store/store.ts'
import { instantOfNumber, parseInstant } from '../time.ts'

/** A result whose row is being parsed. */
export type PartialResult = {
  id: string | null
  startedAt: number | null
  runLocation: string | null
  hasFailures: boolean | null
  hasErrors: boolean
  isDegraded: boolean
  overMaxResponseTime: boolean
  attempts: number
  state: string | null
  error: string | null
  values: Record<string, number>
  /** Per-page metrics given in the row itself. */
  page: Record<string, number> | null
  pageUrl: string
  pages: readonly PageResult[] | null
}

/** Sets a property; returns what is expected if the value is invalid, else null. */
export type Property = (partial: PartialResult, value: unknown) => string | null
export type Properties = ReadonlyMap<string, Property>

export const newPartialResult = (): PartialResult => ({
  id: null,
  startedAt: null,
  runLocation: null,
  hasFailures: null,
  hasErrors: false,
  isDegraded: false,
  overMaxResponseTime: false,
  attempts: 1,
  state: null,
  error: null,
  values: {},
  page: null,
  pageUrl: '',
  pages: null,
})

export const expectedStart = 'an ISO 8601 timestamp with Z or an offset, or unix milliseconds, between the years 1970 and 9999'
export const expectedLocation = 'a name of 1 to 128 characters without control characters'
const locationGrammar = /^[^\p{C}]{1,128}$/u
const unstorable = /\0|\p{Cs}/u
const maxErrorLength = 1000
const maxUrlLength = 4096
const maxPages = 100

/** Every property that a row of this type may have. */
export function propertiesOf(checkType: CheckType): Properties {
  const metrics = Object.entries(checkType.metrics)
  const perPage = metrics.filter(([, metric]) => metric.perPage)
  return new Map<string, Property>([
    ...common,
    ...checkType.fields.map((name) => [name, field(name)] as const),
    ...metrics.map(([name, metric]) => [name, measured(name, metric)] as const),
    ...(perPage.length > 0 ? pageProperties(new Map(perPage)) : []),
    ...(Object.keys(checkType.states).length > 0 ? [['state', state(Object.keys(checkType.states))] as const] : []),
  ])
}

const flag =
  (name: 'hasFailures' | 'hasErrors' | 'isDegraded' | 'overMaxResponseTime'): Property =>
  (partial, value) => {
    if (typeof value !== 'boolean') return 'true or false'
    partial[name] = value
    return null
  }

const ignored: Property = () => null

const common: readonly (readonly [string, Property])[] = [
  ['checkId', ignored],
  [
    'id',
    (partial, value) => {
      if (value !== null && !(typeof value === 'string' && idGrammar.test(value)))
        return '1 to 128 characters from A-Z, a-z, 0-9, _ and -, or null'
      partial.id = value
      return null
    },
  ],
  [
    'startedAt',
    (partial, value) => {
      const instant = typeof value === 'string' ? parseInstant(value) : typeof value === 'number' ? instantOfNumber(value) : undefined
      if (instant === undefined) return expectedStart
      partial.startedAt = instant
      return null
    },
  ],
  [
    'runLocation',
    (partial, value) => {
      if (typeof value !== 'string' || !isLocation(value)) return expectedLocation
      partial.runLocation = value
      return null
    },
  ],
  ['hasFailures', flag('hasFailures')],
  ['hasErrors', flag('hasErrors')],
  ['isDegraded', flag('isDegraded')],
  ['overMaxResponseTime', flag('overMaxResponseTime')],
  [
    'attempts',
    (partial, value) => {
      if (!isWhole(value, 1, 1000)) return 'a whole number from 1 to 1000'
      partial.attempts = value
      return null
    },
  ],
  [
    'error',
    (partial, value) => {
      if (value !== null && !isText(value, maxErrorLength)) return `a text of at most ${maxErrorLength} characters, or null`
      partial.error = value === '' ? null : value
      return null
    },
  ],
  ['availability', ignored],
  ['retries', ignored],
]

function state(states: readonly string[]): Property {
  return (partial, value) => {
    if (typeof value !== 'string' || !states.includes(value)) return `one of ${states.join(', ')}`
    partial.state = value
    return null
  }
}

function field(name: string): Property {
  return (partial, value) => {
    if (value === null) return null
    if (!isWhole(value, -2_147_483_648, 2_147_483_647)) return 'a whole number or null'
    partial.values[name] = value + 0
    return null
  }
}

function measured(name: string, metric: Metric): Property {
  const expected = expectedValue(metric)
  const { unit, perPage = false } = metric
  return (partial, value) => {
    if (value === null) return null
    if (!isMeasure(value, unit)) return expected
    const values = perPage ? pageOf(partial) : partial.values
    values[name] = value + 0
    return null
  }
}

function pageOf(partial: PartialResult): Record<string, number> {
  partial.page ??= {}
  return partial.page
}

function pageProperties(metrics: ReadonlyMap<string, Metric>): readonly (readonly [string, Property])[] {
  const expected = `a list of at most ${maxPages} pages, each an object with pageUrl and of ${[...metrics.keys()].join(', ')}`
  return [
    [
      'pages',
      (partial, value) => {
        const pages = Array.isArray(value) && value.length <= maxPages ? value.map((page) => readPage(page, metrics)) : [undefined]
        if (!pages.every((page) => page !== undefined)) return expected
        partial.pages = pages
        return null
      },
    ],
    [
      'pageUrl',
      (partial, value) => {
        if (!isText(value, maxUrlLength)) return `a text of at most ${maxUrlLength} characters`
        partial.pageUrl = value
        return null
      },
    ],
    ['pageIndex', (_, value) => (value === 0 || value === null ? null : '0 or null: send all pages of a run together, as its pages')],
  ]
}

function readPage(page: unknown, metrics: ReadonlyMap<string, Metric>): PageResult | undefined {
  if (typeof page !== 'object' || page === null) return undefined
  const { pageUrl = '', ...rest } = page as Record<string, unknown>
  const values: Record<string, number> = {}
  for (const [name, value] of Object.entries(rest)) {
    const metric = metrics.get(name)
    if (!metric || !(value === null || isMeasure(value, metric.unit))) return undefined
    if (value !== null) values[name] = value + 0
  }
  return isText(pageUrl, maxUrlLength) ? { pageUrl, values } : undefined
}

function isMeasure(value: unknown, unit: Unit): value is number {
  if (typeof value !== 'number' || !(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) return false
  return unit === 'count' ? Number.isInteger(value) : unit !== 'percentage' || value <= 100
}

function expectedValue({ unit }: Metric): string {
  if (unit === 'count') return 'a whole number from 0, or null if not measured'
  return unit === 'percentage' ? 'a number from 0 to 100, or null if not measured' : 'a number from 0, or null if not measured'
}

let lastLocation: string | null = null

/** Caches the last valid one: rows of one location follow each other. */
function isLocation(text: string): boolean {
  if (text === lastLocation) return true
  if (!locationGrammar.test(text)) return false
  lastLocation = text
  return true
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength && !unstorable.test(value)
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}
