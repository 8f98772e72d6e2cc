import { parsedJson } from '../text/parsed-json.ts'
import { type Assertion, type AssertionTarget, assertionComparisons, type Comparison, hasTarget, isOfLists } from './probe/settings.ts'
import { sameWords, wireWord, wireWords } from './wire.ts'
import type { WireReader } from './wire-reader.ts'

type Source = {
  /** Its name in settings. */
  readonly source: string
  /** Targets are numbers, which API bodies have as text. */
  readonly isNumeric?: true
  /** Present if `property` selects a part of the source; `otherwise` is its default. */
  readonly property?: { readonly otherwise?: string }
}

/** The sources of a type's assertions, by their words in bodies. */
export type WireSources = Readonly<Record<string, Source>>

export const httpSources = {
  STATUS_CODE: { source: 'statusCode', isNumeric: true },
  HEADERS: { source: 'headers', property: {} },
  TEXT_BODY: { source: 'textBody' },
  JSON_BODY: { source: 'jsonBody', property: {} },
  RESPONSE_TIME: { source: 'responseTime', isNumeric: true },
  CERTIFICATE_DAYS: { source: 'certificateDays', isNumeric: true },
} as const satisfies WireSources

export function readAssertions(request: WireReader, sources: WireSources): readonly unknown[] | undefined {
  const assertions = request.objects('assertions').map((assertion) => readAssertion(assertion, sources))
  return assertions.length === 0 ? undefined : assertions
}

export function writeAssertions(assertions: readonly Assertion[] = [], sources: WireSources) {
  return assertions.map((assertion) => {
    const { comparison, property, target } = assertion
    const [word, { property: part }] = wordOf(assertion, sources)
    const given = part && property !== part.otherwise ? property : undefined
    const isTargeted = target !== undefined && hasTarget(comparison)
    return {
      source: word,
      comparison: wireWord(comparison),
      property: given ?? '',
      target: !isTargeted ? '' : Array.isArray(target) ? JSON.stringify(target) : String(target),
      regex: null,
    }
  })
}

/** If two words share a source, they differ in whether they have a property. */
function wordOf({ source, property }: Assertion, sources: WireSources): readonly [string, Source] {
  const words = Object.entries(sources).filter(([, one]) => one.source === source)
  return words.find(([, one]) => (one.property !== undefined) === (property !== undefined)) ?? [wireWord(source), { source }]
}

const comparisonWords = wireWords<Comparison>(assertionComparisons)

function readAssertion(assertion: WireReader, sources: WireSources) {
  const word = assertion.word('source', sameWords(Object.keys(sources)))
  const comparison = assertion.word('comparison', comparisonWords)
  const source = word === undefined ? undefined : sources[word]
  for (const [name, value] of Object.entries({ source, comparison })) {
    if (value === undefined && !assertion.raw(name)) assertion.fault(name, `${name} is missing`)
  }
  if (assertion.text('regex') !== undefined) assertion.fault('regex', 'regex is not supported: compare with MATCHES')
  assertion.ignore('edit', 'order', 'arrayIndex', 'arraySelector')
  const property = assertion.template('property')
  if (property !== undefined && source && !source.property)
    assertion.fault('property', `property is not supported for ${word}: compare with MATCHES`)
  const part = property ?? source?.property?.otherwise
  const target = comparison === undefined || !hasTarget(comparison) ? withoutTarget(assertion) : targetOf(assertion, comparison, source)
  return {
    source: source?.source,
    ...(part !== undefined && { property: part }),
    comparison,
    ...(target !== undefined && { target }),
  }
}

function withoutTarget(assertion: WireReader): undefined {
  assertion.ignore('target')
}

function targetOf(assertion: WireReader, comparison: Comparison, source: Source | undefined): Assertion['target'] {
  const raw = assertion.raw('target')
  const given = typeof raw === 'string' ? (assertion.template('target') ?? '') : raw
  if (isOfLists(comparison)) return listOf(given) ?? invalid(assertion, 'target must be a JSON list of texts and numbers, as text')
  if (given === undefined || given === null) return ''
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') return invalid(assertion, 'target must be text')
  const text = String(given)
  return source?.isNumeric && Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : text
}

function invalid(assertion: WireReader, message: string): undefined {
  assertion.fault('target', message)
}

function listOf(given: unknown): readonly AssertionTarget[] | undefined {
  const list = typeof given === 'string' ? parsedJson(given) : given
  const isTarget = (item: unknown): item is AssertionTarget => typeof item === 'string' || typeof item === 'number'
  return Array.isArray(list) && list.every(isTarget) ? list : undefined
}
