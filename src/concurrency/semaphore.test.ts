import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

const patient = new AbortController().signal

test('grants as many permits as there are, and the next one when a permit is released', async () => {
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

test('drops a waiter whose signal is aborted, and serves the next one', async () => {
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

test('grants no permit to an aborted signal', async () => {
  const gate = createSemaphore(1)
  expect(await gate.acquire(AbortSignal.abort())).toBeUndefined()
  expect(await gate.acquire(patient)).toBeTypeOf('function')
})
