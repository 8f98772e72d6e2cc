import { expect, test, vi } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import type { CheckGroup } from '../api/answers.ts'
import type { ApiRequest } from '../api/client.ts'
import { openHook, stopTime, testSession } from '../testing/open-hook.tsx'
import { useStored } from './stored-check.ts'
import { useAfterPause } from './use-after-pause.ts'
import { inheritedFrom, useCheckGroup } from './use-check-group.ts'
import { useEditorSchema } from './use-editor-schema.ts'
import { tryPath, useTrial } from './use-trial.ts'

const soon = { interval: 5 }
const group = (id: number, defaults?: object) => ({ id, definition: defaults === undefined ? {} : { defaults } }) as unknown as CheckGroup

test('requests are debounced, and only the last one is sent', async () => {
  stopTime()
  const asked = answerPage(({ path }) => `answer of ${path}`)
  let request: ApiRequest | null = { path: '/a' }
  const hook = openHook(() => useAfterPause<string>(request))
  await vi.advanceTimersByTimeAsync(600)
  request = { path: '/b' }
  hook.again()
  await vi.advanceTimersByTimeAsync(600)
  expect([hook.last(), asked]).toEqual([{ data: null, isCurrent: false }, []])
  await vi.advanceTimersByTimeAsync(200)
  expect([hook.last(), asked.map(({ path }) => path)]).toEqual([{ data: 'answer of /b', isCurrent: true }, ['/b']])
  request = { path: '/c' }
  hook.again()
  expect(hook.last()).toEqual({ data: 'answer of /b', isCurrent: false })
  request = null
  hook.again()
  await vi.advanceTimersByTimeAsync(2000)
  expect([hook.last().isCurrent, asked.length]).toEqual([false, 1])
})

test('an error gives null, and one that is outdated is ignored', async () => {
  stopTime()
  const ends: ((answer: Response) => void)[] = []
  answerPage(() => new Promise((end) => ends.push(end)))
  let request = { path: '/a' }
  const hook = openHook(() => useAfterPause<string>(request))
  await vi.advanceTimersByTimeAsync(1000)
  request = { path: '/b' }
  hook.again()
  await vi.advanceTimersByTimeAsync(1000)
  ends[1]?.(Response.json('answer'))
  await vi.advanceTimersByTimeAsync(50)
  ends[0]?.(Response.json({ message: 'late' }, { status: 500 }))
  await vi.advanceTimersByTimeAsync(50)
  expect(hook.last()).toEqual({ data: 'answer', isCurrent: true })
  request = { path: '/c' }
  hook.again()
  await vi.advanceTimersByTimeAsync(1000)
  ends[2]?.(Response.json({ message: 'Refused.' }, { status: 400 }))
  await vi.advanceTimersByTimeAsync(50)
  expect(hook.last()).toEqual({ data: null, isCurrent: true })
})

test('the stored definition is loaded whenever the form is opened', async () => {
  const answer = { definition: { name: 'Shop' }, yaml: 'name: Shop', place: 'tidemark.yaml:3', faults: [], more: 'is left out' }
  const asked = answerPage(() => Response.json(answer, { headers: { etag: '"7"' } }))
  const session = testSession()
  for (const times of [1, 2]) {
    const hook = openHook(() => useStored('a/b'), session)
    const { more: _, ...kept } = answer
    await expect.poll(() => hook.last().data, soon).toEqual({ id: 'a/b', tag: '"7"', ...kept })
    expect(asked.map(({ path }) => path)).toEqual(Array(times).fill('/v1/checks/a%2Fb/definition'))
    hook.close()
  }
})

test('the group of a check is one of the first, or is loaded', async () => {
  const asked = answerPage(() => group(200))
  let id: unknown = 1
  const hook = openHook(() => useCheckGroup([group(1), group(2)], id))
  expect(hook.last()).toEqual(group(1))
  id = 200
  hook.again()
  expect(hook.last()).toBeNull()
  await expect.poll(() => hook.last(), soon).toEqual(group(200))
  for (id of [300, undefined, '200']) {
    hook.again()
    expect(hook.last()).toBeNull()
  }
  expect(asked.map(({ path }) => path)).toEqual(['/v1/check-groups/200', '/v1/check-groups/300'])
})

test('a check inherits from its group by type, and then for all types', () => {
  const defaults = { muted: true, tags: ['all'], ANY: { tags: ['any'] } }
  expect(inheritedFrom(group(1, defaults), 'ANY')).toEqual({ ...defaults, tags: ['any'] })
  expect(inheritedFrom(group(1, defaults), 'OTHER')).toEqual(defaults)
  expect(inheritedFrom(group(1), 'ANY')).toEqual({})
})

test('forms use the schema for editors', async () => {
  const asked = answerPage(() => ({ definitions: {} }))
  const hook = openHook(() => useEditorSchema())
  await expect.poll(() => hook.last().data, soon).toEqual({ definitions: {} })
  expect(asked[0]?.path).toBe('/tidemark.schema.json')
})

test.each([
  [null, undefined, '/v1/checks/try?form=file'],
  ['a/b', undefined, '/v1/checks/try?form=file&checkId=a%2Fb'],
  [null, 'eu west', '/v1/checks/try?form=file&location=eu+west'],
] as const)('a trial of a definition that replaces %s, at location %s, is posted to %s', (stored, location, path) => {
  expect(tryPath(stored, location)).toBe(path)
})

test('a trial shows its run, the places of faults, or the reason why there is neither', async () => {
  let answer: () => unknown = () => ({ ok: 1 })
  answerPage(() => answer())
  const found: unknown[] = []
  const hook = openHook(() => useTrial((faults) => found.push(faults)))
  const request = { path: '/v1/checks/try', body: {} }
  await hook.last().start(request)
  await expect.poll(() => hook.last().run, soon).toEqual({ ok: 1 })
  const faults = [{ pointer: '/name', message: 'is needed' }]
  answer = () => Response.json({ message: 'Faulty.', faults }, { status: 400 })
  await hook.last().start(request)
  await expect.poll(() => hook.last().run, soon).toBeNull()
  expect([found, hook.last().action.problem]).toEqual([[faults], null])
  answer = () => Response.json({ message: 'Too busy.' }, { status: 503 })
  await hook.last().start(request)
  await expect.poll(() => hook.last().action.problem, soon).toBe('Too busy.')
  answer = () => new Response('not JSON')
  await hook.last().start(request)
  await expect.poll(() => hook.last().action.problem, soon).toContain('Unexpected response')
  expect(found).toHaveLength(1)
})
