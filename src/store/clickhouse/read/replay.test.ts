import { expect, test } from 'vitest'
import { replay } from './replay.ts'

test('missing values are fetched once, in the order in which the computation needs them', async () => {
  const fetched: string[] = []
  const fetch = (key: string, value: number) => async () => {
    fetched.push(key)
    return value
  }
  const sum = await replay((loaded) => {
    const a = loaded('a', fetch('a', 1))
    return a === 1 ? a + loaded('b', fetch('b', 2)) + loaded('a', fetch('a', 9)) : 0
  })
  expect(sum).toBe(4)
  expect(fetched).toEqual(['a', 'b'])
})

test('a failure of the computation or of a fetch is passed on', async () => {
  await expect(replay(() => Promise.reject(new Error('computed')))).rejects.toThrow('computed')
  await expect(replay((loaded) => loaded('a', () => Promise.reject(new Error('fetched'))))).rejects.toThrow('fetched')
})
