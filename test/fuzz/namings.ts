import { type Call, checkAt, type Endpoint, idAt, projectOf, sampleCall } from './operations.ts'
import { ours, theirs } from './world.ts'

/**
 * A part of a call that names a resource of an account: one call names a resource of another account, the other one nothing that
 * exists.
 */
export type Naming = { readonly place: string; readonly foreign: Named; readonly unknown: Named }
export type Named = { readonly name: string; readonly call: Call }

/** Every part of an endpoint's calls that may name a resource of an account. */
export function namings(endpoint: Endpoint): readonly Naming[] {
  return [...pathNamings(endpoint), ...queryNamings(endpoint), ...bodyNamings(endpoint)]
}

const naming = (place: string, foreign: string, callOf: (name: string) => Call): Naming => {
  const unknown = nobody(foreign)
  return { place, foreign: { name: foreign, call: callOf(foreign) }, unknown: { name: unknown, call: callOf(unknown) } }
}

/** Has the same length and characters, so that responses may differ only in the name. */
const nobody = (name: string) => [...name].toReversed().join('')

const foreignCheck = (path: string) => checkAt(path, theirs)?.id ?? ''
const foreignResult = (path: string) => theirs.results.find(({ check }) => check.checkId === foreignCheck(path))?.result.id ?? ''

function pathNamings(endpoint: Endpoint): readonly Naming[] {
  const { path, operation } = endpoint
  const { url } = sampleCall(endpoint, ours)
  const names: Readonly<Record<string, readonly [own: string, foreign: string]>> = {
    id: [idAt(path, ours), idAt(path, theirs)],
    resultId: [ours.results.find(({ check }) => check.checkId === checkAt(path, ours)?.id)?.result.id ?? '', foreignResult(path)],
    tag: [ours.tag, theirs.tag],
    key: [ours.variable, theirs.variable],
    accountId: [ours.account, theirs.account],
    logicalId: [projectOf(ours), projectOf(theirs)],
  }
  return operation.parameters.flatMap(({ name, in: place }) => {
    const [own, foreign] = names[name] ?? []
    if (place !== 'path' || own === undefined || foreign === undefined) return []
    return [naming(name, foreign, (given) => ({ method: endpoint.method, url: url.replace(`/${own}`, `/${given}`) }))]
  })
}

function queryNamings(endpoint: Endpoint): readonly Naming[] {
  const { path, operation } = endpoint
  const { url, ...call } = sampleCall(endpoint, ours)
  const names: Readonly<Record<string, readonly [foreign: string, more: string]>> = {
    checkId: [foreignCheck(path), ''],
    tag: [theirs.tag, ''],
    slo: [theirs.slo, '&metric=slo'],
    account: [theirs.account, ''],
    serviceHours: [theirs.serviceHours, '&availabilityBy=time'],
  }
  return operation.parameters.flatMap(({ name, in: place }) => {
    const [foreign, more] = names[name] ?? []
    if (place !== 'query' || foreign === undefined) return []
    return [naming(name, foreign, (given) => ({ ...call, url: `${url}${url.includes('?') ? '&' : '?'}${name}=${given}${more}` }))]
  })
}

function bodyNamings(endpoint: Endpoint): readonly Naming[] {
  const { path, operation } = endpoint
  if (!operation.requestBody) return []
  const row = { startedAt: '2026-11-14T11:30:00.000Z', hasFailures: false }
  const bodies: Readonly<Record<string, readonly [place: string, foreign: string, body: (name: string) => unknown][]>> = {
    '/v1/analytics/checks': [['checkIds', foreignCheck(path), (name) => ({ checkIds: [name] })]],
    '/v1/analytics/query': [
      ['checks.ids', foreignCheck(path), (name) => ({ metrics: ['availability'], checks: { ids: [name] } })],
      ['checks.tags', theirs.tag, (name) => ({ metrics: ['availability'], checks: { tags: [name] } })],
      ['serviceHours', theirs.serviceHours, (name) => ({ metrics: ['availability'], availabilityBy: 'time', serviceHours: name })],
    ],
    '/v1/silences': [['checks', foreignCheck(path), (name) => ({ checks: [name], duration: '1h' })]],
    '/v1/check-results': [['checkId', foreignCheck(path), (name) => [{ ...row, checkId: name }]]],
  }
  const sample = sampleCall(endpoint, ours)
  return (bodies[path] ?? []).map(([place, foreign, body]) =>
    naming(place, foreign, (name) => ({ ...sample, payload: JSON.stringify(body(name)) })),
  )
}
