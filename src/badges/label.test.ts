import { describe, expect, test } from 'vitest'
import { cleanLabel, measurable } from './label.ts'

describe('the label of a badge', () => {
  test('keeps an ordinary name', () => {
    expect(cleanLabel('Checkout (EU) – café')).toBe('Checkout (EU) – café')
  })

  test('drops control characters and bidirectional overrides, and turns line breaks and tabs into spaces', () => {
    expect(cleanLabel(' a\u0000b\u001b[31m\tc\r\nd\u202ee\u2066f\ud800g\uffffh ')).toBe('ab[31m c defgh')
  })

  test('keeps a name of 60 characters', () => {
    expect(cleanLabel('x'.repeat(60))).toBe('x'.repeat(60))
    expect(cleanLabel('😀'.repeat(60))).toBe('😀'.repeat(60))
  })

  test('truncates a longer name to 60 characters, the last of which is an ellipsis', () => {
    expect(cleanLabel('x'.repeat(5000))).toBe(`${'x'.repeat(59)}…`)
    expect(cleanLabel(`${'x'.repeat(58)} yz`)).toBe(`${'x'.repeat(58)}…`)
  })

  test('never splits a joined character', () => {
    const family = '👨‍👩‍👧‍👦'
    expect(cleanLabel(family.repeat(20))).toBe(`${family.repeat(8)}…`)
  })

  test('truncates a single character with too many combining marks', () => {
    expect([...cleanLabel(`a${'\u0301'.repeat(5000)}`)]).toHaveLength(60)
  })

  test('composes letters with their marks where one character exists for both', () => {
    expect(cleanLabel('cafe\u0301')).toBe('café')
  })

  test('is measured with letters of known width where the width of its own is unknown', () => {
    expect(measurable('Größe Привет 日本')).toBe('Größe Привет 日本')
    expect(measurable('שלום עולם')).toBe('nnnn nnnn')
    expect(measurable('👨‍👩‍👧‍👦 ok 🇳🇴')).toBe('mi ok mi')
    expect(measurable('q\u0323r')).toBe('qr')
  })

  test('is empty for a name without visible characters', () => {
    expect(cleanLabel('\u0000\u200b \n')).toBe('')
  })
})

test('a label of many combining marks is cleaned in linear time', () => {
  const marks = `a${'\u0301\u0316'.repeat(4_999)}`
  for (let times = 0; times < 400; times++) cleanLabel(marks)
  expect([...cleanLabel(marks)].length).toBeLessThanOrEqual(60)
})
