import { expect, test } from 'vitest'
import { createGate } from './gate.ts'

const patient = new AbortController().signal

test('lets as many pass as there are places, and the next one when a place is free', async () => {
  const gate = createGate(2)
  const leave = await gate.enter(patient)
  await gate.enter(patient)
  const passed: string[] = []
  const third = gate.enter(patient).then(() => passed.push('third'))
  const fourth = gate.enter(patient).then(() => passed.push('fourth'))
  expect(gate.waiting()).toBe(2)
  leave?.()
  leave?.()
  await third
  expect(passed).toEqual(['third'])
  expect(gate.waiting()).toBe(1)
  void fourth
})

test('turns away who gives up waiting, and gives the place to the next', async () => {
  const gate = createGate(1)
  const leave = await gate.enter(patient)
  const impatient = new AbortController()
  const second = gate.enter(impatient.signal)
  const third = gate.enter(patient)
  impatient.abort()
  expect(await second).toBeUndefined()
  leave?.()
  expect(await third).toBeTypeOf('function')
})

test('lets nobody in whose patience is over before', async () => {
  const gate = createGate(1)
  expect(await gate.enter(AbortSignal.abort())).toBeUndefined()
  expect(await gate.enter(patient)).toBeTypeOf('function')
})
