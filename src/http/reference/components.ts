import { STATUS_CODES } from 'node:http'
import { grouped } from '../../collections/lists.ts'
import { emptyPageSchema, locationSchema, maintenanceSchema } from './account-schemas.ts'
import { checkResultSchema, checkResultsSchema, checkSchema, checkStatusSchema, checkTypeSchema } from './check-schemas.ts'
import type { OpenApi, Operation } from './openapi.ts'
import { failureSchema, metricEntrySchema, outageSchema, reportSchema, sloDaySchema, sloSchema, summarySchema } from './report-schemas.ts'
import { errorSchema } from './schema-parts.ts'

/** Names that users of generated clients see. */
const namedSchemas: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    Error: errorSchema,
    Check: checkSchema,
    CheckResult: checkResultSchema,
    CheckResults: checkResultsSchema,
    CheckStatus: checkStatusSchema,
    CheckType: checkTypeSchema,
    EmptyPage: emptyPageSchema,
    Failure: failureSchema,
    Location: locationSchema,
    Maintenance: maintenanceSchema,
    Metric: metricEntrySchema,
    Outage: outageSchema,
    Report: reportSchema,
    Slo: sloSchema,
    SloDay: sloDaySchema,
    Summary: summarySchema,
  }).map(([name, schema]) => [schema, name]),
)

/** The document with references: to schemas that have a name, and to parameters and errors that several operations share. */
export function withComponents({ paths, components, ...document }: OpenApi): object {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const parameters = shared('parameters', operations.flatMap(parametersOf))
  const responses = shared('responses', operations.flatMap(failuresOf))
  const withReferences = (operation: Operation) => ({
    ...operation,
    parameters: operation.parameters.map(parameters.reference),
    responses: Object.fromEntries(Object.entries(operation.responses).map(([status, one]) => [status, responses.reference(one)])),
  })
  return {
    ...document,
    paths: mapValues(paths, (path) => mapValues(path, (operation) => referringToSchemas(withReferences(operation)))),
    components: {
      ...components,
      schemas: Object.fromEntries([...namedSchemas].map(([schema, name]) => [name, referringToSchemas(schema, schema)])),
      parameters: parameters.components,
      responses: mapValues(responses.components, (response) => referringToSchemas(response)),
    },
  }
}

type Part = { readonly value: object; readonly name: string; readonly operationId: string }

const parametersOf = ({ operationId, parameters }: Operation): readonly Part[] =>
  parameters.map((value) => ({ value, name: value.name, operationId }))

const failuresOf = ({ operationId, responses }: Operation): readonly Part[] =>
  Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .map(([status, value]) => ({ value, name: STATUS_CODES[status]?.replaceAll(' ', '') ?? status, operationId }))

/** Parts that occur more than once become components. Of different parts with the same name, the most common one has it for itself. */
function shared(kind: 'parameters' | 'responses', parts: readonly Part[]) {
  const repeated = [...grouped(parts, ({ value }) => JSON.stringify(value))]
    .filter(([, same]) => same.length > 1)
    .sort(([, a], [, b]) => b.length - a.length)
  const components: Record<string, object> = {}
  const references = new Map<string, object>()
  for (const [text, [part]] of repeated) {
    if (!part) continue
    const name = Object.hasOwn(components, part.name) ? `${part.name}Of${capitalized(part.operationId)}` : part.name
    components[name] = part.value
    references.set(text, { $ref: `#/components/${kind}/${name}` })
  }
  return { components, reference: (value: object) => references.get(JSON.stringify(value)) ?? value }
}

/** Replaces named schemas in a value by references, except the value itself. */
function referringToSchemas(value: unknown, self?: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const name = value === self ? undefined : namedSchemas.get(value)
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  return Array.isArray(value) ? value.map((item) => referringToSchemas(item)) : mapValues({ ...value }, (item) => referringToSchemas(item))
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

const capitalized = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
