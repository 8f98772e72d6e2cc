import { STATUS_CODES } from 'node:http'
import { grouped } from '../../collections/lists.ts'
import { capitalized } from '../../text/capitalized.ts'
import * as accountSchemas from './account-schemas.ts'
import * as alertSchemas from './alert-schemas.ts'
import * as checkSchemas from './check-schemas.ts'
import * as managedSchemas from './managed-schemas.ts'
import type { OpenApi, Operation, Response } from './openapi.ts'
import * as policySchemas from './policy-schemas.ts'
import * as reportSchemas from './report-schemas.ts'
import { errorSchema, paginationSchema } from './schema-parts.ts'

/** Type names in generated clients: `Alert` for `alertSchema`, `AlertChannelBody` for `alertChannelBody`. */
const namedSchemas: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    ...accountSchemas,
    ...alertSchemas,
    ...checkSchemas,
    ...managedSchemas,
    ...policySchemas,
    ...reportSchemas,
    errorSchema,
    paginationSchema,
  })
    .filter(([name]) => /(Schema|Body)$/.test(name))
    .map(([name, schema]) => [schema, capitalized(name.replace(/Schema$/, ''))] as const)
    .sort(([, a], [, b]) => (a < b ? -1 : 1)),
)

/** Replaces named schemas, and parameters, bodies and answers that several operations share, by references. */
export function withComponents({ paths, components, ...document }: OpenApi): object {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const parameters = shared('parameters', operations.flatMap(parametersOf))
  const requestBodies = shared('requestBodies', operations.flatMap(bodyOf))
  const responses = shared('responses', operations.flatMap(responsesOf))
  const withReferences = (operation: Operation) => ({
    ...operation,
    parameters: operation.parameters.map(parameters.reference),
    ...(operation.requestBody && { requestBody: requestBodies.reference(operation.requestBody) }),
    responses: mapValues(operation.responses, responses.reference),
  })
  return {
    ...document,
    paths: mapValues(paths, (path) => mapValues(path, (operation) => referringToSchemas(withReferences(operation)))),
    components: {
      ...components,
      schemas: Object.fromEntries([...namedSchemas].map(([schema, name]) => [name, referringToSchemas(schema, schema)])),
      parameters: parameters.components,
      requestBodies: referringToSchemas(requestBodies.components),
      responses: referringToSchemas(responses.components),
    },
  }
}

type Part = { readonly value: object; readonly name: string; readonly operationId: string }

const parametersOf = ({ operationId, parameters }: Operation): readonly Part[] =>
  parameters.map((value) => ({ value, name: value.name, operationId }))

const bodyOf = ({ operationId, requestBody }: Operation): readonly Part[] =>
  requestBody ? [{ value: requestBody, name: schemaName(requestBody) ?? 'Body', operationId }] : []

const responsesOf = ({ operationId, responses }: Operation): readonly Part[] =>
  Object.entries(responses).map(([status, value]) => {
    const ownName = status.startsWith('2') ? schemaName(value) : undefined
    return { value, name: ownName ?? STATUS_CODES[status]?.replaceAll(' ', '') ?? status, operationId }
  })

function schemaName({ content }: Pick<Response, 'content'>): string | undefined {
  return namedSchemas.get(content['application/json']?.schema)
}

/** Parts that occur more than once become components. If different parts have the same name, the most common one gets it. */
function shared(kind: 'parameters' | 'requestBodies' | 'responses', parts: readonly Part[]) {
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
