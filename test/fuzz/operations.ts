import type { FastifyInstance } from 'fastify'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { bundlePrefix } from '../../src/checks/probe/playwright/code-bundle.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import type { OpenApi, Operation, Parameter } from '../../src/http/reference/openapi.ts'
import { protocolVersion } from '../../src/locations/protocol.ts'
import { exampleCheck } from '../support/example-config.ts'
import { tarGz } from '../support/tar.ts'
import { agentLocation, type Names } from './world.ts'

/** One method of one path of the OpenAPI document. */
export type Endpoint = { readonly method: string; readonly path: string; readonly operation: Operation }

export type Call = {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string | Buffer
}

export const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string => `${method} ${path}`

export function endpointsOf({ paths }: OpenApi): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** Every route that the app serves, including undocumented ones; each GET includes its HEAD. */
export function servedRoutes(app: FastifyInstance): readonly string[] {
  const parents: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', path, methods] = /^([│ ]*)[├└]── (\S+) \(([A-Z, ]+)\)$/.exec(line) ?? []
      if (path === undefined || methods === undefined) return []
      const depth = indent.length / 4
      parents[depth] = (parents[depth - 1] ?? '') + path
      const full = (parents[depth] as string).replace(/:(\w+)/g, '{$1}')
      return methods.split(', ').flatMap((method) => (method === 'HEAD' ? [] : [`${method} ${full}`]))
    })
}

/** A valid call of this endpoint, with names of that account. */
export function sampleCall({ method, path, operation }: Endpoint, names: Names): Call {
  const required = operation.parameters.filter((parameter) => parameter.required)
  const values = Object.fromEntries(required.map((parameter) => [parameter.name, sampleValue(parameter, path, names)]))
  const query = required.filter((parameter) => parameter.in === 'query').map(({ name }) => `${name}=${values[name]}`)
  const url = pathWith(path, values) + (query.length > 0 ? `?${query.join('&')}` : '')
  if (!operation.requestBody) return { method, url }
  if ('application/octet-stream' in operation.requestBody.content)
    return { method, url, headers: { 'content-type': 'application/octet-stream' }, payload: tarGz([{ path: 'playwright.config.ts' }]) }
  return { method, url, headers: { 'content-type': 'application/json' }, payload: JSON.stringify(bodyOf(method, path, names)) }
}

export function pathWith(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}

export function withParameter(address: string, name: string, value: string): string {
  const [path = '', query = ''] = address.split('?')
  const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`))
  return `${path}?${[...others, `${name}=${value}`].join('&')}`
}

/** The check that a path refers to: of the type in the path, or the first. */
export const checkAt = (path: string, { checks }: Names) =>
  checks.find(({ checkType }) => path.includes(`/${checkType.path}/`)) ?? checks[0]

/** The logical id of an account's project. */
export const projectOf = ({ tag }: Names) => `${tag}-project`

/** What the id in a path refers to. */
export function idAt(path: string, names: Names): string {
  if (path.startsWith('/v1/slos')) return names.slo
  if (path.startsWith('/v1/alerts')) return names.alert.id
  if (path === '/v1/alert-channels/{id}/test') return names.channel
  if (/^\/v1\/(alert-channels|maintenance-windows|private-locations)/.test(path)) return '1'
  if (path.includes('/check-groups')) return names.checkGroup
  return path.startsWith('/v1/silences') ? `silence-of-${names.account}` : (checkAt(path, names)?.id ?? '')
}

function sampleValue({ name, schema }: Parameter, path: string, names: Names): string {
  const { enum: choices = [] } = ((schema.type === 'array' ? schema.items : schema) ?? {}) as { readonly enum?: readonly string[] }
  if (name === 'metrics') return 'availability'
  if (choices[0] !== undefined) return choices[0]
  const check = checkAt(path, names)
  const known: Readonly<Record<string, string | undefined>> = {
    id: idAt(path, names),
    key: names.variable,
    checkId: check?.id,
    resultId: names.results.find((filed) => filed.check.checkId === check?.id)?.result.id,
    tag: names.tag,
    accountId: names.account,
    token: path.startsWith('/acknowledge') ? names.acknowledgement.token : path.includes('{slug}') ? names.pingKey : names.pingToken,
    slug: names.checks.find(({ checkType }) => checkType.pingSettings)?.id,
    exitCode: '0',
    keyId: '00000000',
    name: '2025.04',
    bundle: '0'.repeat(64),
    logicalId: projectOf(names),
    deploymentId: '5f0c9a1b-2d3e-4f50-8a6b-7c8d9e0f1a2b',
    protocol: String(protocolVersion),
    location: agentLocation,
  }
  const value = known[name]
  if (value === undefined) throw new Error(`a sample of ${name} in ${path} is missing in operations.ts`)
  return value
}

/** Nothing listens there, so that the run fails at once. */
const nowhere = 'http://127.0.0.1:1/'
const triedCheck = {
  checkType: checkTypes.find(({ fromAddress }) => fromAddress?.(new URL(nowhere)))?.type,
  name: 'Tried',
  frequency: 1,
  request: { url: nowhere },
}

const sampleChannel = { type: 'SLACK', config: { url: 'https://hooks.example/services/T/B/x', channel: '#ops' } }
const sampleWindow = { name: 'Night', startsAt: '2026-11-20T21:00:00Z', endsAt: '2026-11-20T22:00:00Z', repeatUnit: 'WEEK' }

/** By path, since bodies have no parameters to derive them from. */
function bodyOf(method: string, path: string, names: Names): unknown {
  const { checks, tag } = names
  const [first] = checks
  const project = { project: { logicalId: projectOf(names), name: 'Shop' }, resources: [] }
  const bodies: Readonly<Record<string, unknown>> = {
    '/v1/analytics/checks': { checkIds: [first?.id] },
    '/v1/analytics/query': { metrics: ['availability'], checks: { ids: [first?.id] } },
    '/v1/silences': { checks: [first?.id], duration: '1h' },
    'POST /v1/checks': triedCheck,
    '/v1/checks': { ids: [first?.id], muted: true },
    '/v1/alert-channels': sampleChannel,
    '/v1/alert-channels/{id}': sampleChannel,
    '/v1/alert-channels/{id}/subscriptions': { checkId: first?.id, activated: true },
    '/v1/private-locations': { name: 'Data centre 2', slugName: 'dc-2' },
    '/v1/private-locations/{id}': { name: 'Data centre 2', slugName: 'dc-2' },
    '/v1/maintenance-windows': sampleWindow,
    '/v1/maintenance-windows/{id}': sampleWindow,
    '/v1/checks/try': triedCheck,
    '/v1/checks/delete': { ids: [first?.id] },
    '/v1/agents/trials/{id}': { problem: 'it could not be run' },
    '/v1/projects/deploy': project,
    '/next-v2/projects/deploy': project,
    '/next/checkly-storage/peek-code-bundle': { key: `${bundlePrefix}H4sIAAAAAAAAA4uOBQApu0wNAgAAAA` },
    '/v1/checks/{id}': { muted: true },
    '/v1/check-groups': { name: 'New', tags: [tag] },
    '/v2/check-groups': { name: 'New', runParallel: null },
    '/v1/check-groups/{id}': { name: 'Changed', tags: [tag] },
    '/v2/check-groups/{id}': { name: 'Changed' },
    '/v1/variables': { key: 'NEW', value: 'new' },
    '/v1/variables/{key}': { value: 'changed' },
    '/v1/check-results': [{ checkId: first?.id, startedAt: '2026-11-14T11:30:00.000Z', runLocation: agentLocation, hasFailures: false }],
  }
  const checkType = checkTypes.find((one) => path.startsWith(`/v1/checks/${wirePath(one)}`))
  if (checkType)
    return { definition: { ...exampleCheck(checkType), id: `${tag}-new-${checkType.path}`, name: 'New', type: checkType.type } }
  if (path.endsWith('/restore')) return { version: 1 }
  const name = [`${method} ${path}`, path].find((one) => Object.hasOwn(bodies, one))
  if (name === undefined) throw new Error(`a body of ${path} is missing in operations.ts`)
  return bodies[name]
}
