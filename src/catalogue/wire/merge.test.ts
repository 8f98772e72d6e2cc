import { describe, expect, test } from 'vitest'
import { destinationOf } from './merge.ts'

const definition = {
  url: 'https://shop.example:8443/basket?item=1',
  request: { url: 'https://api.example/v1', hostname: 'router.example', port: 53, nameServer: '192.0.2.1', method: 'GET' },
  groupId: 7,
}
const isSame = (other: Readonly<Record<string, unknown>>) =>
  JSON.stringify(destinationOf(other)) === JSON.stringify(destinationOf(definition))

describe('the destination of a check', () => {
  test.each([
    { url: 'https://shop.example:8443/other' },
    { name: 'Renamed' },
    { request: { ...definition.request, method: 'POST', url: 'https://api.example/v2#part' } },
  ])('is unchanged by %j', (change) => expect(isSame({ ...definition, ...change })).toBe(true))

  test.each([
    { url: 'https://shop.example/basket' },
    { url: 'http://shop.example:8443/basket' },
    { url: `https://shop.example:8443\${PATH}` },
    { groupId: 8 },
    { hostname: 'router.example' },
    ...['url', 'hostname', 'port', 'nameServer'].map((name) => ({ request: { ...definition.request, [name]: 'other' } })),
    { request: null },
  ])('changes with %j', (change) => expect(isSame({ ...definition, ...change })).toBe(false))
})
