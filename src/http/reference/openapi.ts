import type { FastifyInstance } from 'fastify'
import { type ErrorCode, errors } from '../../errors.ts'
import { type Access, type Content, type Doc, eventStreamType, type Schema } from '../route.ts'
import type { BasePath } from '../server/request-head.ts'
import { errorSchema } from './schema-parts.ts'

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
  readonly style?: 'form'
  readonly explode?: false
}
type Media = { readonly schema?: Schema; readonly example?: unknown }
export type Response = {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>
  readonly content: Readonly<Record<string, Media>>
}
export type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly Schema[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: true; readonly description: string; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
}
export type OpenApi = {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Schema
}

type Documented = { readonly method: string; readonly url: string; readonly access: Access; readonly doc: Doc }

/** Collects routes as they are added; the returned function describes those that have a `doc`. */
export function collectReference(app: FastifyInstance, basePath: BasePath): () => OpenApi {
  const routes: Documented[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const one of [method].flat()) {
      if (one !== 'HEAD' && config?.doc) routes.push({ method: one.toLowerCase(), url, access: config.access ?? 'key', doc: config.doc })
    }
  })
  return () => describe(routes, basePath)
}

const security: Readonly<Record<Access, readonly Schema[]>> = {
  open: [],
  optional: [{ key: [], account: [] }, {}],
  read: [{ key: [], account: [] }],
  ingest: [{ key: [], account: [] }],
  operate: [{ key: [], account: [] }],
  write: [{ key: [], account: [] }],
  metrics: [{ key: [] }, { password: [] }],
  agent: [{ key: [] }],
  key: [{ key: [], account: [] }],
}

function describe(routes: readonly Documented[], basePath: BasePath): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidemark',
      version: '1',
      description: 'Synthetic monitoring: the results of every check, and exact analytics. A trailing slash is always accepted.',
    },
    servers: [{ url: basePath || '/' }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, created with: tidemark key create.' },
        password: { type: 'http', scheme: 'basic', description: 'An API key as the password; any user name.' },
        account: { type: 'apiKey', in: 'header', name: 'X-Service-Account', description: 'The account of the request.' },
        link: { type: 'apiKey', in: 'query', name: 'link', description: 'The token of a link, created with: tidemark link create.' },
      },
    },
  }
}

/** A link has the scope `read`, and opens no stream. */
function takesLinks({ access, method, doc }: Documented): boolean {
  return (access === 'read' || access === 'optional') && method === 'get' && doc.answer.mediaType !== eventStreamType
}

function securityOf(route: Documented): readonly Schema[] {
  return takesLinks(route) ? [...security[route.access], { link: [] }] : security[route.access]
}

function operation(route: Documented): Operation {
  const { method, url, access, doc } = route
  const { summary, description, body, answer } = doc
  return {
    operationId: `${method}${url.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string = '') => next.toUpperCase())}`,
    tags: [doc.group],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(route),
    parameters: parameters(doc),
    ...(body && { requestBody: { required: true, description: body.description, content: media(body) } }),
    responses: {
      ...(doc.dryRun && { 200: response(doc.dryRun) }),
      [answer.status ?? 200]: response(answer),
      ...notModified(answer),
      ...errorResponses([...errorCodes(access, doc), ...linkErrors(route)]),
    },
  }
}

function parameters({ path = {}, query = {} }: Doc): readonly Parameter[] {
  return [
    ...Object.entries(path).map(([name, { description, ...schema }]) => ({
      name,
      in: 'path' as const,
      required: true,
      ...(typeof description === 'string' && { description }),
      schema,
    })),
    ...Object.entries(query)
      .filter(([, { hidden }]) => !hidden)
      .map(([name, { description, required, schema }]) => ({
        name,
        in: 'query' as const,
        required,
        description,
        schema,
        ...(schema.type === 'array' && { style: 'form' as const, explode: false as const }),
      })),
  ]
}

function notModified({ headers = {} }: Content): Readonly<Record<string, Response>> {
  return headers.ETag === undefined ? {} : { '304': { description: 'If-None-Match matches its ETag.', content: {} } }
}

function response({ headers, ...content }: Content): Response {
  const described = Object.entries(headers ?? {}).map(([name, description]) => [name, { description, schema: { type: 'string' } }])
  return {
    description: content.description,
    ...(headers && { headers: Object.fromEntries(described) }),
    content: content.status === 204 ? {} : media(content),
  }
}

function media({ mediaType = 'application/json', schema, example, otherTypes = [] }: Content): Readonly<Record<string, Media>> {
  const own = { ...(schema && { schema }), ...(example !== undefined && { example }) }
  return { [mediaType]: own, ...Object.fromEntries(otherTypes.map((type) => [type, { schema: { type: 'string' } }])) }
}

const ofEveryKey = ['MISSING_KEY', 'UNKNOWN_KEY', 'FORBIDDEN_ACCOUNT', 'MISSING_SCOPE', 'RATE_LIMITED', 'UNAVAILABLE'] as const
const ofReaders = [...ofEveryKey, 'MISSING_ACCOUNT', 'AGENT_KEY'] as const

const keyErrors: Readonly<Record<Access, readonly ErrorCode[]>> = {
  open: [],
  optional: ofReaders,
  read: ofReaders,
  ingest: [...ofEveryKey, 'MISSING_ACCOUNT'],
  operate: ofReaders,
  write: ofReaders,
  metrics: ofEveryKey,
  agent: ofEveryKey,
  key: ofReaders,
}

/** The errors of its access level, of its parameters, and its own. */
function errorCodes(access: Access, { query, errors: ofRoute = [] }: Doc): readonly ErrorCode[] {
  const ofQuery: readonly ErrorCode[] = query ? ['UNKNOWN_PARAMETER', 'REPEATED_PARAMETER', 'MISSING_PARAMETER', 'INVALID_PARAMETER'] : []
  return [...new Set([...ofQuery, ...ofRoute, ...keyErrors[access]])]
}

function linkErrors(route: Documented): readonly ErrorCode[] {
  return takesLinks(route) ? ['UNKNOWN_LINK', 'LINK_ELSEWHERE', 'LINK_EXPIRED'] : []
}

function errorResponses(codes: readonly ErrorCode[]): Readonly<Record<string, Response>> {
  const statuses = [...new Set(codes.map((code) => errors[code][0]))].toSorted((a, b) => a - b)
  const content = { 'application/json': { schema: errorSchema } }
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = codes.filter((code) => errors[code][0] === status)
      return [String(status), { description: ofStatus.map((code) => `${code}: ${errors[code][1]}`).join('\n'), content }]
    }),
  )
}
