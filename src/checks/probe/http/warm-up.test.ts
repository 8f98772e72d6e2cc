import { expect, test } from 'vitest'
import { rehearse } from './warm-up.ts'

test('a rehearsal is held once for all, and leaves nothing open', async () => {
  const held = rehearse()
  expect(rehearse()).toBe(held)
  await held
  await expect.poll(() => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP'))).toEqual([])
})
