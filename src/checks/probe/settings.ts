import { isMapping, type Mapping } from '../../collections/mapping.ts'
import { fileAndFolder, maxPathBytes, staysInFolder } from '../../files/stays-in-folder.ts'
import { type Static, Type } from '../../schema/typebox.ts'
import { jsonPathFault } from './assert/json-path.ts'
import { patternFault } from './assert/pattern.ts'
import { patternSize } from './assert/pattern-size.ts'

export const IpFamily = Type.Union([Type.Literal('IPv4'), Type.Literal('IPv6')])
export type IpFamily = Static<typeof IpFamily>
export const Hostname = Type.String({
  pattern: '^[^-\\s/?#@][^\\s/?#@]{0,252}$',
  description: 'a host name or address such as db.example.com',
})
export const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
export const Url = Type.Refine(
  Type.String({ pattern: '^https?://.+', description: 'an address that starts with http:// or https://' }),
  (text) => URL.canParse(text),
  () => 'must be an address that starts with http:// or https://',
)
export const Environment = Type.Record(Type.String(), Type.String(), { title: 'Variables of the script' })
/** Stored verbatim in API bodies and in the config file; longer scripts belong in a file of their own. */
const InlineScript = Type.String({
  minLength: 1,
  maxLength: 600_000,
  description: 'the text of a Playwright test, in TypeScript or JavaScript',
  contentMediaType: 'text/javascript',
})
const maxInlineFiles = 200

/** Validates the paths of files in one folder; returns the fault as a sentence. */
export function pathsFault(paths: readonly string[]): string | null {
  if (paths.length === 0 || paths.length > maxInlineFiles) return `must be 1 to ${maxInlineFiles} files`
  const odd = paths.find((path) => Buffer.byteLength(path) > maxPathBytes || !staysInFolder(path))
  if (odd !== undefined) return `${JSON.stringify(odd.slice(0, 100))} must be a path within a folder, with slashes`
  const both = fileAndFolder(paths)
  return both === undefined ? null : `${both} is a file and a folder`
}

/** Relative imports of an inline script. */
const InlineFiles = Type.Refine(
  Type.Record(Type.String(), Type.String({ maxLength: 600_000 }), {
    description: 'the contents of the files that inlineScript imports, by path',
  }),
  (files) => pathsFault(Object.keys(files)) === null,
  (files) => pathsFault(Object.keys(files)) ?? '',
)
const InlineScriptPath = Type.Refine(
  Type.String({ minLength: 1, description: 'the path of inlineScript among inlineFiles' }),
  (path) => pathsFault([path]) === null,
  (path) => pathsFault([path]) ?? '',
)

/** The settings of a script whose text is part of the definition. */
export type InlineSettings = {
  readonly inlineScript?: string
  readonly inlineScriptPath?: string
  readonly inlineFiles?: Readonly<Record<string, string>>
}

/** The settings of a check that runs a script, from a file or from its definition. */
export const scriptFields = {
  script: Type.Optional(Type.String({ minLength: 1, description: 'a Playwright test file, relative to the config file' })),
  inlineScript: Type.Optional(InlineScript),
  inlineScriptPath: Type.Optional(InlineScriptPath),
  inlineFiles: Type.Optional(InlineFiles),
  environment: Type.Optional(Environment),
}

/** Checks the script settings against each other; returns the fault as a sentence. */
export function scriptFault({ script, ...inline }: InlineSettings & { readonly script?: string }): string | null {
  const { inlineScript, inlineScriptPath, inlineFiles } = inline
  if (script !== undefined && inlineScript !== undefined) return 'script and inlineScript are mutually exclusive'
  if (inlineFiles === undefined) return inlineScriptPath === undefined ? null : 'inlineScriptPath requires inlineFiles'
  if (inlineScript === undefined) return 'inlineFiles requires inlineScript'
  if (inlineScriptPath === undefined) return 'inlineScriptPath is missing: the path of the script among inlineFiles'
  return (
    pathsFault([inlineScriptPath, ...Object.keys(inlineFiles)]) ??
    (Object.hasOwn(inlineFiles, inlineScriptPath) ? 'inlineScriptPath must not be a path of inlineFiles' : null)
  )
}

/** The settings that contain code. */
export function inlineCode(settings: InlineSettings): readonly string[] {
  return (['inlineScript', 'inlineFiles'] as const).filter((name) => settings[name] !== undefined)
}

export const strict = { additionalProperties: false } as const

export const assertionComparisons = [
  'equals',
  'notEquals',
  'hasKey',
  'notHasKey',
  'hasValue',
  'notHasValue',
  'isEmpty',
  'notEmpty',
  'greaterThan',
  'lessThan',
  'contains',
  'notContains',
  'isNull',
  'notNull',
  'matches',
  'notMatches',
  'oneOf',
  'notOneOf',
] as const
export type Comparison = (typeof assertionComparisons)[number]

/**
 * A condition on a response: `property` is a header's name or a JSONPath, `target` the value to compare with. The target of `matches`
 * and `notMatches` is a regular expression in RE2 syntax (no look-around, no back-references), that of `oneOf` and `notOneOf` a list.
 */
export type Assertion = {
  readonly source: string
  readonly comparison: Comparison
  readonly property?: string
  readonly target?: AssertionTarget | readonly AssertionTarget[]
}
export type AssertionTarget = string | number

const Target = Type.Union([Type.String(), Type.Number()])

/** The schema of assertions about the given parts of a response. */
export function Assertions<const Source extends string>(...sources: readonly Source[]) {
  const assertion = Type.Object(
    {
      source: Type.Enum(sources),
      comparison: Type.Enum(assertionComparisons),
      property: Type.Optional(Type.String({ title: 'A header name, a JSONPath, or a latency' })),
      target: Type.Optional(
        Type.Union([Target, Type.Array(Target, { minItems: 1, maxItems: 100 })], {
          description: 'text or a number; for oneOf and notOneOf a list',
        }),
      ),
    },
    strict,
  )
  const item = Type.Refine(
    assertion,
    (value) => assertionFault(value) === null,
    (value) => assertionFault(value) ?? '',
  )
  return Type.Refine(
    Type.Array(item, { maxItems: maxAssertions }),
    (list) => patternSizes(list) <= maxPatternSizes,
    (list) =>
      `the regular expressions of a check have at most ${maxPatternSizes} characters in all, with repeats such as x{20} written out: these have ${patternSizes(list)}`,
  )
}

const maxAssertions = 100
/** Bounds the time in which the regular expressions of a check are compiled, in the main thread. */
const maxPatternSizes = 10_000

/** The list may still violate the rest of the schema. */
function patternSizes(list: readonly unknown[]): number {
  return list.reduce<number>((sum, assertion) => sum + sizeOfPattern(isMapping(assertion) ? assertion : {}), 0)
}

/** Longer expressions have a fault of their own, and are not compiled. */
function sizeOfPattern({ comparison, target }: Mapping): number {
  const isPattern = ofPatterns.some((one) => one === comparison)
  return isPattern && typeof target === 'string' && target.length <= maxExpressionLength ? patternSize(target) : 0
}

const withoutTarget: readonly Comparison[] = ['isEmpty', 'notEmpty', 'isNull', 'notNull']
/** Comparisons whose target is a list. */
const ofLists: readonly Comparison[] = ['oneOf', 'notOneOf']
export const hasTarget = (comparison: Comparison) => !withoutTarget.includes(comparison)
export const isOfLists = (comparison: Comparison) => ofLists.includes(comparison)
/** Comparisons whose target is a regular expression. */
const ofPatterns: readonly Comparison[] = ['matches', 'notMatches']
const ofNumbers: readonly Comparison[] = ['greaterThan', 'lessThan']
/** Comparisons that make sense for all headers together. */
const ofAllHeaders: readonly Comparison[] = ['hasKey', 'notHasKey', 'hasValue', 'notHasValue']
const withJsonPath: readonly string[] = ['jsonBody', 'answer', 'jsonResponse']
const latencies: readonly string[] = ['avg', 'min', 'max', 'stdDev']

/** In characters, of a JSONPath or a regular expression: the cost of compiling one grows with its length. */
const maxExpressionLength = 1000

/** Why an assertion that matches the schema is invalid, as a sentence. */
function assertionFault({ source, comparison, property, target }: Assertion): string | null {
  if (target === undefined && !withoutTarget.includes(comparison)) return `${comparison} requires a target`
  if (Array.isArray(target) !== ofLists.includes(comparison))
    return Array.isArray(target)
      ? `${comparison} requires a single target: only oneOf and notOneOf accept a list`
      : `${comparison} requires a list as target`
  if (source === 'headers' && !property && !ofAllHeaders.includes(comparison)) return 'headers requires a property: the name of a header'
  if (source === 'latency' && !latencies.includes(property ?? '')) return `latency requires a property: ${latencies.join(', ')}`
  if (ofNumbers.includes(comparison) && !isNumber(target)) return `${comparison} requires a number as target`
  const path = property !== undefined && withJsonPath.includes(source) ? property : null
  const pattern = ofPatterns.includes(comparison) ? String(target) : null
  if (path !== null && path.length > maxExpressionLength) return `a JSONPath has at most ${maxExpressionLength} characters`
  if (pattern !== null && pattern.length > maxExpressionLength) return `a regular expression has at most ${maxExpressionLength} characters`
  return (path === null ? null : jsonPathFault(path)) ?? (pattern === null ? null : patternFault(pattern))
}

function isNumber(target: Assertion['target']): boolean {
  return target !== undefined && String(target).trim() !== '' && Number.isFinite(Number(target))
}
