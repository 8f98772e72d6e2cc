import { expect, test } from 'vitest'
import { exampleCheck, runTypes } from '../../test/support/example-config.ts'
import { parseManagedCheck } from '../catalogue/managed/parse-managed.ts'
import { destinationToKeep } from './judge-stored.ts'

const requestType = runTypes.find(({ groupRequest }) => groupRequest)
if (!requestType) throw new Error('there is no such check type')
const example = exampleCheck(requestType)
const headers = { Authorization: 'Bearer hunter2-hunter2' }

function kept(request: object) {
  const parsed = parseManagedCheck({ ...example, id: 'cart', request }, { account: { id: 'acme' }, env: {} })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return destinationToKeep(parsed.check)
}

test('the hash of a destination equals that of stored checks', () => {
  expect(kept({ url: 'https://shop.example:8443/cart', headers })).toEqual({
    destination: 'sha256:c01ec2b21bc3841ec2fd8ac9f3e94256facf03227af7fa74abd1cedd4e7e6c12',
  })
})

test('a destination is scheme, host and port', () => {
  const [one, other] = ['https://shop.example/a', 'https://shop.example:443/b?c#d'].map((url) => kept({ url, headers }))
  expect(one).toEqual(other)
  for (const url of ['http://shop.example/a', 'https://shop.example:444/a', 'https://a.shop.example/a'])
    expect(kept({ url, headers })).not.toEqual(one)
})

test('nothing is kept of a check without secrets', () => {
  expect(kept({ url: 'https://shop.example/' })).toEqual({})
})
