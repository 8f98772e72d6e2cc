import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

const patient = new AbortController().signal

test('lets as many pass as there are places, and the next one when a place is free', async () => {
  const gate = createSemaphore(2)
  const leave = await gate.acquire(patient)
  await gate.acquire(patient)
  const passed: string[] = []
  const third = gate.acquire(patient).then(() => passed.push('third'))
  const fourth = gate.acquire(patient).then(() => passed.push('fourth'))
  expect(gate.waiting()).toBe(2)
  leave?.()
  leave?.()
  await third
  expect(passed).toEqual(['third'])
  expect(gate.waiting()).toBe(1)
  void fourth
})

test('turns away who gives up waiting, and gives the place to the next', async () => {
  const gate = createSemaphore(1)
  const leave = await gate.acquire(patient)
  const impatient = new AbortController()
  const second = gate.acquire(impatient.signal)
  const third = gate.acquire(patient)
  impatient.abort()
  expect(await second).toBeUndefined()
  leave?.()
  expect(await third).toBeTypeOf('function')
})

test('lets nobody in whose patience is over before', async () => {
  const gate = createSemaphore(1)
  expect(await gate.acquire(AbortSignal.abort())).toBeUndefined()
  expect(await gate.acquire(patient)).toBeTypeOf('function')
})
