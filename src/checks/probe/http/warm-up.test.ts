import { expect, test } from 'vitest'
import { warmUp } from './warm-up.ts'

test('a rehearsal is held once for all, and leaves nothing open', async () => {
  const held = warmUp()
  expect(warmUp()).toBe(held)
  await held
  await expect.poll(() => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP'))).toEqual([])
})
