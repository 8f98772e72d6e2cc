import { expect, test } from 'vitest'
import { groupCommit } from './group-commit.ts'

const items = (count: number) => new Array<number>(count).fill(0)
const refused = { name: 'StoreUnavailable', retryAfterSeconds: 2 }

/** A group commit whose commits last until they are ended. */
function openCommits() {
  const sizes: number[] = []
  const ends: (() => void)[] = []
  const append = groupCommit<number>((items) => {
    sizes.push(items.length)
    return new Promise((resolve) => ends.push(() => resolve([])))
  })
  return { append, sizes, end: () => ends.shift()?.() }
}

test('items that were committed wait no longer: any number of them may follow each other', async () => {
  const append = groupCommit<number>(async () => [])
  for (let call = 0; call < 12; call++) expect(await append(items(20_000))).toEqual([])
})

test('callers that arrive during a commit share the next one, up to its limit', async () => {
  const { append, sizes, end } = openCommits()
  const calls = [1, 2, 3, 19_990, 8].map((count) => append(items(count)))
  for (const size of [[1], [1, 19_995], [1, 19_995, 8]]) {
    await expect.poll(() => sizes).toEqual(size)
    end()
  }
  expect(await Promise.all(calls)).toEqual([[], [], [], [], []])
})

test('each caller gets the duplicates among its own items', async () => {
  const append = groupCommit<string>(async (items) => items.flatMap((item, i) => (item === 'old' ? [i] : [])))
  const calls = [['old', 'new'], ['new'], ['new', 'old', 'old'], [], ['old']].map((items) => append(items))
  expect(await Promise.all(calls)).toEqual([[0], [], [1, 2], [], [0]])
})

test('when too many items wait callers are refused, and taken again once the others are committed', async () => {
  const { append, sizes, end } = openCommits()
  const calls = [append(items(10)), append(items(200_000))]
  await expect(append(items(1))).rejects.toMatchObject(refused)
  end()
  await expect.poll(() => sizes).toEqual([10, 200_000])
  calls.push(append(items(1)))
  end()
  await expect.poll(() => sizes).toEqual([10, 200_000, 1])
  end()
  expect(await Promise.all(calls)).toEqual([[], [], []])
})

test('one call may bring more than the limit, alone', async () => {
  const append = groupCommit<number>(async () => [])
  expect(await append(items(200_001))).toEqual([])
})

test('a commit that fails fails for all who share it, and the next one goes on', async () => {
  let isFull = true
  const append = groupCommit<number>(async () => {
    if (isFull) throw new Error('database or disk is full')
    return []
  })
  const calls = [append(items(1)), append(items(2))]
  for (const call of calls) await expect(call).rejects.toThrow('database or disk is full')
  isFull = false
  expect(await append(items(1))).toEqual([])
})
