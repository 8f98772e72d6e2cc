import { expect, test } from 'vitest'
import { emptyText } from './empty-text.ts'

test('a chart without values says that nothing ran, and how to see more', () => {
  const runs = { total: 0, success: 0 }
  expect(emptyText(runs, { status: null })).toEqual({ title: 'No runs in this window.', advice: 'Choose a longer window.' })
  expect(emptyText(runs, { status: 'failure' }).advice).toBe('Choose a longer window, or another status.')
})

test('where all runs failed, a longer window would not help', () => {
  const { title, advice } = emptyText({ total: 286, success: 0 }, { status: null })
  expect(title).toBe('286 runs, none got a response.')
  expect(advice).not.toContain('window')
})

test('where runs did not fail, none of them measured it', () => {
  expect(emptyText({ total: 1, success: 1 }, { status: null })).toEqual({ title: 'None of 1 run measured this.', advice: '' })
})

test('until runs are counted, nothing is said of them', () => {
  expect(emptyText(undefined, { status: null })).toEqual({ title: 'No measurements in this window.', advice: '' })
})
