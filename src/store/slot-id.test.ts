import { expect, test } from 'vitest'
import { slotId } from './slot-id.ts'

const check = { account: 'acme', checkId: 'homepage' }
const slotAt = Date.UTC(2026, 10, 14, 10)

test('a slot id is a UUID of version 8 that never changes', () => {
  expect(slotId(check, 'eu-west-1', slotAt)).toBe('01a1d97f-e500-8491-a365-0cca274cd077')
})

test('slot ids differ by slot, location, check and account', () => {
  const ids = [
    slotId(check, 'eu-west-1', slotAt),
    slotId(check, 'eu-west-1', slotAt + 10_000),
    slotId(check, 'us-east-1', slotAt),
    slotId({ ...check, checkId: 'checkout' }, 'eu-west-1', slotAt),
    slotId({ ...check, account: 'umbrella' }, 'eu-west-1', slotAt),
  ]
  expect(new Set(ids).size).toBe(ids.length)
})
