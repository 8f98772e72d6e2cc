import { expect, onTestFinished, test, vi } from 'vitest'
import { openHook, stopTime } from '../testing/open-hook.tsx'
import { useCopy } from './use-copy.ts'

test('the last copy is confirmed for two seconds, even soon after another one', async () => {
  stopTime()
  const writeText = vi.fn(async (_: string) => {})
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  onTestFinished(() => void vi.unstubAllGlobals())
  const { last, settled } = openHook(() => useCopy('by hand'))
  const copy = async (text: string) => {
    expect(await last().copy(text)).toBe(true)
    await vi.advanceTimersByTimeAsync(1)
    await settled()
    expect(last().message).toBe('Copied')
  }
  await copy('first')
  await vi.advanceTimersByTimeAsync(1900)
  await copy('second')
  await vi.advanceTimersByTimeAsync(1900)
  expect(last().message).toBe('Copied')
  await vi.advanceTimersByTimeAsync(200)
  expect(last().message).toBe('')
  expect(writeText.mock.calls).toEqual([['first'], ['second']])
})

test('if the browser does not allow it, a hint to copy manually is shown', async () => {
  stopTime()
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('not allowed')) } })
  vi.stubGlobal('document', { addEventListener: () => {}, removeEventListener: () => {}, execCommand: () => false })
  onTestFinished(() => void vi.unstubAllGlobals())
  const { last } = openHook(() => useCopy('by hand'))
  expect(await last().copy('text')).toBe(false)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(last().message).toBe('by hand')
})
