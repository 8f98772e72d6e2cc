import { expect, test } from 'vitest'
import { warmUp } from './warm-up.ts'

test('the warm-up runs once per process and leaves nothing open', async () => {
  const held = warmUp()
  expect(warmUp()).toBe(held)
  await held
  await expect.poll(() => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP'))).toEqual([])
})
