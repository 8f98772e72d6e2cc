import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseConfig } from '../../src/catalogue/config-file/parse.ts'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { arbitraryDefinition } from '../support/arbitrary-definitions.ts'
import { account } from '../support/catalogue.ts'
import { clientRequests } from '../support/client-requests.ts'
import { triesOf } from '../support/tries.ts'
import { type Call, endpointsOf, pathWith, sampleCall, withParameter } from './operations.ts'
import { keyOf, openWorld, ours, type World } from './world.ts'

/** Inherited by every object: a table lookup with one of these finds an entry unless it checks for own properties. */
const words = ['constructor', '__proto__']

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('texts in bodies may be names that every object inherits', async () => {
  const { openApi } = world
  const samples = endpointsOf(openApi)
    .filter(({ method, path }) => method !== 'GET' && !path.startsWith('/v1/agents'))
    .map((endpoint) => sampleCall(endpoint, ours))
    .filter(({ payload }) => typeof payload === 'string')
  const checks = checkTypes.flatMap((checkType): readonly Call[] => {
    const path = wirePath(checkType)
    const definitions = fc.sample(arbitraryDefinition(checkType), triesOf(18)).map((definition) => ({ definition }))
    const bodies = [clientRequests(path).create, ...definitions].map((body) => JSON.stringify(body))
    return bodies.map((payload) => ({ method: 'POST', url: `/v1/checks/${path}?dryRun=true`, payload }))
  })
  expect(samples.length).toBeGreaterThan(30)
  const broken = []
  for (const call of [...samples, ...checks])
    for (const body of withWords(JSON.parse(String(call.payload)))) {
      const answer = await world.app.inject({
        ...call,
        method: call.method as 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${keyOf(account, 'write')}`, 'x-service-account': account },
        payload: JSON.stringify(body),
      })
      if (answer.statusCode >= 500) broken.push([call.method, call.url, JSON.stringify(body), answer.body])
    }
  expect(broken).toEqual([])
})

test('ids and parameters in URLs may be names that every object inherits', async () => {
  const headers = { authorization: `Bearer ${keyOf(account, 'read')}`, 'x-service-account': account }
  const broken = []
  for (const endpoint of endpointsOf(world.openApi).filter(({ method, path }) => method === 'GET' && !path.endsWith('/stream')))
    for (const word of words) {
      const { parameters } = endpoint.operation
      const ofPath = Object.fromEntries(parameters.map(({ name }) => [name, word]))
      const { url } = sampleCall(endpoint, ours)
      const named = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => withParameter(url, name, word))
      for (const asked of [pathWith(endpoint.path, ofPath), withParameter(url, word, 'x'), ...named]) {
        const { statusCode, body } = await world.app.inject({ url: asked, headers })
        if (statusCode >= 500) broken.push([asked, body])
      }
    }
  expect(broken).toEqual([])
})

test.each(checkTypes.map((checkType) => [checkType.type, checkType] as const))(
  'texts in config files may be names that every object inherits: %s',
  (_, checkType) => {
    for (const example of fc.sample(arbitraryDefinition(checkType), 5))
      for (const check of withWords(example))
        expect(() => parseConfig(JSON.stringify({ accounts: [{ id: 'acme', checks: [check] }] }), {})).not.toThrow()
  },
)

/** Copies of a value, each with one of its texts replaced by one of the words. */
function* withWords(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield* words
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value))
    for (const other of withWords(part)) yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other }
}
