import { expect, test } from 'vitest'
import { emptyRuns, emptyText } from './empty-text.ts'

test('a chart without values states that nothing ran, and how to see more', () => {
  const runs = { total: 0, success: 0 }
  expect(emptyText(runs, { status: null })).toEqual({ title: 'No runs in this window.', advice: 'Choose a longer window.' })
  expect(emptyText(runs, { status: 'failure' }).advice).toBe('Choose a longer window, or another status.')
})

test('if all runs failed, no longer window is suggested', () => {
  const { title, advice } = emptyText({ total: 286, success: 0 }, { status: null })
  expect(title).toBe('286 runs, none got a response.')
  expect(advice).not.toContain('window')
})

test('if runs did not fail, none of them measured the metric', () => {
  expect(emptyText({ total: 1, success: 1 }, { status: null })).toEqual({ title: 'None of 1 run measured this.', advice: '' })
})

test('before runs are counted, they are not mentioned', () => {
  expect(emptyText(undefined, { status: null })).toEqual({ title: 'No measurements in this window.', advice: '' })
})

test('a page after the last run does not say that there are none', () => {
  expect(emptyRuns(1)).toEqual({ title: 'No runs in this window.', advice: 'Choose a longer window, or fewer filters.' })
  expect(emptyRuns(5)).toEqual({ title: 'No older runs in this window.', advice: '' })
})
