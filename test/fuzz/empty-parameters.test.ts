import { afterAll, beforeAll, expect, test } from 'vitest'
import { account } from '../support/catalogue.ts'
import { endpointsOf, nameOf, sampleCall, withParameter } from './operations.ts'
import { keyOf, openWorld, ours, type World } from './world.ts'

/** Texts for which empty is a value: the name of the check, no event, and a part of every name. */
const mayBeEmpty = ['label', 'lastEventId', 'search']

/** Errors whose messages do not name the parameter. */
const refusals = ['UNKNOWN_TIMEZONE', 'INVALID_CURSOR', 'INVALID_ID']

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('a parameter that takes one value is refused when it is empty', async () => {
  const asked: string[] = []
  const accepted: unknown[] = []
  for (const endpoint of endpointsOf(world.openApi)) {
    const { parameters } = endpoint.operation
    for (const { name, schema, in: place } of parameters) {
      if (place !== 'query' || schema.type === 'array' || mayBeEmpty.includes(name)) continue
      const call = sampleCall(endpoint, ours)
      const isOfAgents = endpoint.path.startsWith('/v1/agents/')
      const { statusCode, body } = await world.app.inject({
        ...call,
        method: call.method as 'GET',
        url: withParameter(call.url, name, ''),
        headers: {
          ...call.headers,
          authorization: `Bearer ${keyOf(account, isOfAgents ? 'agent' : 'admin')}`,
          'x-service-account': account,
        },
      })
      asked.push(`${nameOf(endpoint)} ${name}`)
      const isRefused = statusCode === 400 && (body.includes(name) || refusals.includes(JSON.parse(body).code))
      if (!isRefused) accepted.push([nameOf(endpoint), name, body.slice(0, 300)])
    }
  }
  expect(asked.length).toBeGreaterThan(300)
  expect(accepted).toEqual([])
})
