import type { CheckType } from '../../src/checks/define.ts'

type Shape = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Shape[]
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
}

/** docs/check-types.md: every check type as the registry declares it. */
export function checkTypesPage(checkTypes: readonly CheckType[]): string {
  const intro = [
    '# Check types',
    '',
    'Generated from the declarations in `src/checks` by `npx vitest run test/docs -u`; a test compares them.',
    '',
    'Every type has `availability` and `retries` in addition to its own metrics, and each of its own metrics takes the suffixes',
    '`_avg`, `_max`, `_median`, `_min`, `_p50`, `_p90`, `_p95`, `_p99`, `_stddev` and `_sum`.',
    '',
    ...checkTypes.map(({ type, label }) => `- [${label}](#${anchor(label, type)}) \`${type}\``),
  ]
  return `${[...intro, ...checkTypes.flatMap(section)].join('\n')}\n`
}

function section(checkType: CheckType): readonly string[] {
  const { type, path, label, duration, groupBy, states, fields } = checkType
  const facts = [
    `- Report: \`GET /v1/analytics/${path}/{id}\``,
    `- Grouped by: ${names(groupBy.map(({ name }) => name))}`,
    ...(duration === null ? [] : [`- Duration: \`${duration}\``]),
    ...(fields.length === 0 ? [] : [`- Fields of results: ${names(fields)}`]),
    ...(Object.keys(states).length === 0
      ? []
      : [
          `- States: ${Object.entries(states)
            .map(([state, outcome]) => `\`${state}\` (${outcome})`)
            .join(', ')}`,
        ]),
  ]
  return ['', `## ${label} (${type})`, '', ...facts, ...metricTable(checkType), ...settingsTable(checkType)]
}

function metricTable({ metrics }: CheckType): readonly string[] {
  const rows = Object.entries(metrics).map(
    ([name, { label, unit, perPage }]) => `| \`${name}\` | ${label} | ${unit} | ${perPage ? 'page' : 'run'} |`,
  )
  return rows.length === 0 ? [] : ['', '| metric | label | unit | per |', '|---|---|---|---|', ...rows]
}

function settingsTable({ settings }: CheckType): readonly string[] {
  return ['', '| setting | value | required |', '|---|---|---|', ...fieldRows(settings as Shape, '')]
}

function fieldRows({ properties = {}, required = [] }: Shape, prefix: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, shape]) => [
    `| \`${prefix}${name}\` | ${describe(shape)} | ${required.includes(name) ? 'yes' : ''} |`,
    ...fieldRows(shape, `${prefix}${name}.`),
    ...(shape.items ? fieldRows(shape.items, `${prefix}${name}[].`) : []),
  ])
}

function describe(shape: Shape): string {
  if (shape.description) return shape.description
  const choices = shape.enum ?? shape.anyOf?.flatMap(({ const: value }) => (value === undefined ? [] : [value])) ?? []
  if (choices.length > 0) return `one of ${names(choices.map(String))}`
  if (shape.anyOf) return shape.anyOf.map(describe).join(' or ')
  if (shape.type === 'array') return 'a list'
  if (shape.type === 'object') return shape.properties ? 'see below' : 'names and values'
  if (shape.minimum !== undefined && shape.maximum !== undefined) return `${shape.type}, ${shape.minimum} to ${shape.maximum}`
  return shape.type ?? ''
}

const names = (all: readonly string[]) => (all.length === 0 ? 'nothing' : all.map((name) => `\`${name}\``).join(', '))

const anchor = (label: string, type: string) => `${label} ${type}`.toLowerCase().replaceAll(' ', '-')
