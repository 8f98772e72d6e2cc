import fc from 'fast-check'
import { checkFindings } from '../../src/catalogue/config-file/parse.ts'
import type { CheckType } from '../../src/checks/define.ts'
import { encodeCodeBundle } from '../../src/checks/probe/playwright/code-bundle.ts'
import { assertionComparisons, hasTarget, isOfLists } from '../../src/checks/probe/settings.ts'
import { pingToken } from './example-config.ts'

type Definition = Readonly<Record<string, unknown>>
type Node = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly pattern?: string
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** Valid definitions of checks of this type, generated from its schema as in a config file, with and without optional settings. */
export function arbitraryDefinition(checkType: CheckType): fc.Arbitrary<Definition> {
  const { type, pingSettings, settings } = checkType
  const common = pingSettings ? fc.record(ofAll, { requiredKeys: [] }) : scheduled
  const required = { name: 'Any', type, ...(!pingSettings && { frequency: '10m' }) }
  // Filters these settings before common ones are added: redrawing only them, such as mutually exclusive ones, is cheaper.
  const valid = (valuesOf(settings as unknown as Node) as fc.Arbitrary<Definition>).filter((own) =>
    isValid(checkType, { ...required, ...own }),
  )
  return fc
    .tuple(fc.stringMatching(/^[A-Z][a-z]{2,8}$/), common, valid)
    .map(([name, some, own]) => ({ name, type, ...some, ...own }))
    .filter((definition) => isValid(checkType, definition))
}

function isValid(checkType: CheckType, definition: Definition): boolean {
  const found = checkFindings(definition, [], { checkTypes: [checkType], isThere: () => true })
  return found.length === 0 && !JSON.stringify(definition).includes('$' + '{')
}

const labels = fc.uniqueArray(fc.constantFrom('eu', 'us-east-1', 'a b', 'Ünder', 'x/y~z'), { minLength: 1, maxLength: 3 })
const ofAll = {
  id: fc.constantFrom('one', 'a-b_c'),
  description: fc.constantFrom('What it is for', 'a\nb'),
  activated: fc.boolean(),
  muted: fc.boolean(),
  tags: fc.oneof(labels, fc.constant([])),
  clientFields: fc.constantFrom({ useGlobalAlertSettings: false }, { runtimeId: '2026.04' }, {}),
}
const scheduled = fc.record(
  {
    ...ofAll,
    frequency: fc.constantFrom('10s', '45s', '60s', '1m', '90s', '5m', '60m', '1h', '24h', '30d'),
    frequencyWhenFailing: fc.constantFrom('10s', '30s'),
    locations: labels,
    retry: fc.record(
      {
        strategy: fc.constantFrom('fixed', 'linear', 'exponential', 'single'),
        baseBackoff: fc.constantFrom('1ms', '1500ms', '30s', '60s', '1m', '1h'),
        maxRetries: fc.constantFrom(1, 2, 10),
        onlyOnNetworkErrors: fc.boolean(),
      },
      { requiredKeys: ['strategy'] },
    ),
    runParallel: fc.boolean(),
    timeout: fc.constantFrom('1s', '5000ms'),
    degradedResponseTime: fc.constantFrom(0, 0.5, 3000),
    maxResponseTime: fc.constantFrom(4000, 5000.25),
    evidence: fc.constantFrom('failures', 'all', 'none'),
  },
  { requiredKeys: ['frequency'] },
)

const examples: readonly (readonly [RegExp, fc.Arbitrary<unknown>])[] = [
  [/https\?/, fc.constantFrom('https://shop.example/a?b=c&d=%20', 'http://[::1]:8080', 'https://me:pw12@shop.example/')],
  [/a host name/, fc.constantFrom('db.example.com', '127.0.0.1', '::1')],
  [/a duration/, fc.constantFrom('30s', '60s', '1m', '1500ms', '2h', '1d')],
  [/crontab/, fc.constantFrom('0 3 * * *', '*/5 * * * 1-5')],
  [/time zone/, fc.constantFrom('Europe/Berlin', 'UTC')],
  [/ping token/, fc.constantFrom(pingToken, `sha256:${'0a'.repeat(32)}`)],
  [/relative to the config file/, fc.constantFrom('checks/a.spec.ts', 'suite')],
  [/files of a suite/, fc.constant(encodeCodeBundle([{ path: 'playwright.config.ts', content: Buffer.from('export default {}') }]))],
  [/path of inlineScript/, fc.constantFrom('playwright.config.ts', 'suite')],
  [/regular expression/, fc.constantFrom('@smoke', '"a" \\d+')],
]

/** Values that match a schema. Refinements are checked later. */
function valuesOf(node: Node): fc.Arbitrary<unknown> {
  const { properties, patternProperties, items, anyOf, pattern = '', description = '' } = node
  if (properties?.source && properties.comparison) return assertionOf(properties.source)
  if (properties)
    return fc.record(Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, valuesOf(part)])), {
      requiredKeys: [...(node.required ?? [])],
    })
  if (patternProperties) return fc.dictionary(fc.constantFrom('Accept', 'x-api-key', 'A', '__proto__', 'a/b'), fc.string({ maxLength: 12 }))
  if (items) return fc.array(valuesOf(items), { maxLength: 3 })
  if (anyOf) return fc.oneof(...anyOf.map(valuesOf))
  if (node.enum) return fc.constantFrom(...node.enum)
  if (node.const !== undefined) return fc.constant(node.const)
  const example = examples.find(([words]) => words.test(`${pattern} ${description}`))
  return example?.[1] ?? plainValue(node)
}

function plainValue({ type, minimum: min = 0, maximum: max = 1000 }: Node): fc.Arbitrary<unknown> {
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min, max })
  if (type === 'number') return fc.oneof(fc.integer({ min, max }), fc.double({ min, max, noNaN: true }))
  return fc.oneof(fc.string({ minLength: 1, maxLength: 20 }), fc.constantFrom('a\nb', '"', '0', 'null', '$' + '{a.b}'))
}

const target = fc.oneof(fc.constantFrom('', '200', '200.0', 'abc', 'NaN', 'Infinity', '["a"]'), fc.integer(), fc.constant(0.5))

function assertionOf(source: Node): fc.Arbitrary<unknown> {
  const comparison = fc.constantFrom(...assertionComparisons)
  const property = fc.constantFrom('$', '$.a[0]', 'etag', 'avg', '')
  return fc
    .record(
      { source: valuesOf(source), comparison, property, target, list: fc.array(target, { minLength: 1, maxLength: 3 }) },
      { requiredKeys: ['source', 'comparison', 'target', 'list'] },
    )
    .map(({ list, target: one, ...assertion }) => {
      if (!hasTarget(assertion.comparison)) return assertion
      return { ...assertion, target: isOfLists(assertion.comparison) ? list : one }
    })
}
