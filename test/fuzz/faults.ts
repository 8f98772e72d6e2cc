import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import findMyWay from 'find-my-way'
import { SaxesParser } from 'saxes'
import type { OpenApi, Operation } from '../../src/http/reference/openapi.ts'
import type { Schema } from '../../src/http/route.ts'
import type { Answer } from '../support/app.ts'
import { type Call, endpointsOf } from './operations.ts'

export type FindFault = (call: Call, answer: Pick<Answer, 'status' | 'headers' | 'text'>) => string | null

/** Errors that any path may return; the document lists them once, in its description. */
const general: readonly string[] = [
  'MALFORMED_REQUEST',
  'ADDRESS_TOO_LONG',
  'HEADERS_TOO_LARGE',
  'METHOD_NOT_ALLOWED',
  'ROUTE_NOT_FOUND',
  'NOT_SUPPORTED',
]
const maxMessageLength = 2000
const leaks = /\bat .+:\d+:\d+|node_modules|\.[cm]?[jt]s:\d|\/(home|tmp|root|work|var)\/|SQLITE|\bSELECT\b.+\bFROM\b|Error: /

/** Describes what is wrong with a response according to the OpenAPI document and section 1 of the contract; null if nothing is. */
export function faultFinder(openApi: OpenApi): FindFault {
  const find = operationFinder(openApi)
  const validate = bodyValidator()
  return (call, { status, headers, text }) => {
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
    const operation = find(call)
    if (status >= 500 && status !== 503) return `status ${status}`
    if (headers['x-content-type-options'] !== 'nosniff') return 'no nosniff'
    if (status >= 400) return errorFault({ status, headers, text }, { type, operation, isHead: call.method === 'HEAD' })
    if (!operation) return null
    const described = operation.responses[String(status)]
    if (!described) return `status ${status} is not documented`
    if (status === 304) return text === '' ? null : '304 with a body'
    if (!Object.hasOwn(described.content, type)) return `type ${type} is not documented`
    if (call.method === 'HEAD') return null
    return bodyFault(text, type, validate(operation, { status, type, isPartial: choosesFields(call) }))
  }
}

/** Errors of definitions say where each fault is. */
const withFaults = ['INVALID_DEFINITION', 'CHECK_FAULTY']

type Context = { readonly type: string; readonly operation: Operation | undefined; readonly isHead: boolean }

function errorFault(
  { status, headers, text }: Pick<Answer, 'status' | 'headers' | 'text'>,
  { type, operation, isHead }: Context,
): string | null {
  if (type === 'text/html' && status === 404) return null
  if (type !== 'application/json') return `error of type ${type}`
  if ((status === 429 || status === 503) && !(Number(headers['retry-after']) > 0)) return `${status} without Retry-After`
  if (status === 401 && headers['www-authenticate'] === undefined) return '401 without WWW-Authenticate'
  if (status === 405 && headers.allow === undefined) return '405 without Allow'
  if (isHead) return null
  const body = JSON.parse(text)
  const names = `statusCode,error,message,code${withFaults.includes(body.code) ? ',faults' : ''}`
  if (Object.keys(body).join() !== names || body.statusCode !== status) return 'another shape of error'
  if (body.message.length > maxMessageLength) return `a message of more than ${maxMessageLength} characters (${body.code})`
  if (leaks.test(body.message)) return `${body.code} leaks internals`
  if (!operation || general.includes(body.code)) return null
  return operation.responses[String(status)]?.description.includes(`${body.code}: `) ? null : `${status} ${body.code} is not documented`
}

function bodyFault(text: string, type: string, validate: ValidateFunction | null): string | null {
  if (type === 'image/svg+xml') return isWellFormed(text) ? null : 'SVG that is not well-formed'
  if (type !== 'application/json' || text.startsWith('<svg')) return null
  if (!validate || validate(JSON.parse(text))) return null
  const [first] = validate.errors ?? []
  return `another body than documented: ${first?.instancePath.replace(/\d+/g, '#')} ${first?.message} ${JSON.stringify(first?.params)}`
}

function isWellFormed(xml: string): boolean {
  try {
    new SaxesParser({ xmlns: true }).write(xml).close()
    return true
  } catch {
    return false
  }
}

/** Finds the operation of a call, with the router that the server uses; undefined if there is none. */
function operationFinder(openApi: OpenApi): (call: Call) => Operation | undefined {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 20_000 })
  for (const { method, path, operation } of endpointsOf(openApi))
    router.on(method as 'GET', path.replace(/\{(\w+)\}/g, ':$1'), () => undefined, operation)
  return ({ method, url }) => router.find((method === 'HEAD' ? 'GET' : method) as 'GET', url)?.store
}

/** Entries then have only the selected properties. */
const choosesFields = ({ url }: Call) => /[?&]fields(\[\]|%5B%5D)?=/i.test(url)

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

type Body = { readonly status: number; readonly type: string; readonly isPartial: boolean }

function bodyValidator(): (operation: Operation, body: Body) => ValidateFunction | null {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': dateTime, date: /^\d{4}-\d\d-\d\d$/ } })
  const validators = new Map<string, ValidateFunction>()
  return ({ operationId, responses }, { status, type, isPartial }) => {
    const schema = responses[String(status)]?.content[type]?.schema
    if (!schema) return null
    const key = `${operationId} ${status} ${type} ${isPartial}`
    const known = validators.get(key) ?? ajv.compile(isPartial ? withoutRequired(schema) : schema)
    validators.set(key, known)
    return known
  }
}

const withoutRequired = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema, (name, value) => (name === 'required' && Array.isArray(value) ? [] : value)))
