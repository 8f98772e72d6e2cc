import { expect, test } from 'vitest'
import { groupCommit } from './group-commit.ts'

const items = (count: number) => new Array<number>(count).fill(0)
const refused = { name: 'StoreUnavailable', retryAfterSeconds: 2 }

/** A group commit whose commits last until the test ends them. */
function openCommits(bytesOf = (_: number) => 0) {
  const sizes: number[] = []
  const ends: (() => void)[] = []
  const queued: number[] = []
  const commit = (items: readonly number[]) => {
    sizes.push(items.length)
    return new Promise<readonly number[]>((resolve) => ends.push(() => resolve([])))
  }
  const append = groupCommit<number>(commit, { bytesOf, onQueue: (waiting) => void queued.push(waiting) })
  return { append, sizes, queued, end: () => ends.shift()?.() }
}

test('committed items no longer count as waiting', async () => {
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

test('each caller gets the indexes of its own duplicates', async () => {
  const append = groupCommit<string>(async (items) => items.flatMap((item, i) => (item === 'old' ? [i] : [])))
  const calls = [['old', 'new'], ['new'], ['new', 'old', 'old'], [], ['old']].map((items) => append(items))
  expect(await Promise.all(calls)).toEqual([[0], [], [1, 2], [], [0]])
})

test('callers are rejected while too many items wait, and accepted again once they are committed', async () => {
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

test('a single call may exceed the limit', async () => {
  const append = groupCommit<number>(async () => [])
  expect(await append(items(200_001))).toEqual([])
})

test('a failed commit rejects all callers that share it, and the next one continues', async () => {
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

test('callers are rejected while too many bytes wait, and accepted again afterwards', async () => {
  const { append, sizes, end } = openCommits((bytes) => bytes)
  const half = 32 * 2 ** 20
  const calls = [[1], [half], [half]].map((items) => append(items))
  await expect(append([1])).rejects.toMatchObject(refused)
  end()
  await expect.poll(() => sizes).toEqual([1, 2])
  calls.push(append([3 * half]))
  await expect(append([1])).rejects.toMatchObject(refused)
  end()
  await expect.poll(() => sizes).toEqual([1, 2, 1])
  end()
  expect(await Promise.all(calls)).toEqual([[], [], [], []])
})

test('an aborted call is dropped from the queue, unless it is being committed', async () => {
  const { append, sizes, queued, end } = openCommits()
  const leaving = new AbortController()
  const calls = [append([1], leaving.signal), append([2, 2], leaving.signal), append([3, 3, 3])]
  const dropped = expect(calls[1]).rejects.toThrow('it has left')
  leaving.abort(new Error('it has left'))
  await dropped
  expect(queued.at(-1)).toBe(3)
  await expect(append([4], leaving.signal)).rejects.toThrow('it has left')
  end()
  await expect.poll(() => sizes).toEqual([1, 3])
  end()
  expect([await calls[0], await calls[2]]).toEqual([[], []])
})
