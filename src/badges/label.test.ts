import { describe, expect, test } from 'vitest'
import { cleanLabel, measurable } from './label.ts'

describe('the label of a badge', () => {
  test('an ordinary name stays as it is', () => {
    expect(cleanLabel('Checkout (EU) – café')).toBe('Checkout (EU) – café')
  })

  test('control characters and what reorders text are gone, line breaks and tabs are spaces', () => {
    expect(cleanLabel(' a\u0000b\u001b[31m\tc\r\nd\u202ee\u2066f\ud800g\uffffh ')).toBe('ab[31m c defgh')
  })

  test('a name of 60 characters stays whole', () => {
    expect(cleanLabel('x'.repeat(60))).toBe('x'.repeat(60))
    expect(cleanLabel('😀'.repeat(60))).toBe('😀'.repeat(60))
  })

  test('a longer name is cut to 60 characters, of which the last says so', () => {
    expect(cleanLabel('x'.repeat(5000))).toBe(`${'x'.repeat(59)}…`)
    expect(cleanLabel(`${'x'.repeat(58)} yz`)).toBe(`${'x'.repeat(58)}…`)
  })

  test('a cut leaves no half of a joined character', () => {
    const family = '👨‍👩‍👧‍👦'
    expect(cleanLabel(family.repeat(20))).toBe(`${family.repeat(8)}…`)
  })

  test('a single character with more marks than fit is still cut', () => {
    expect([...cleanLabel(`a${'\u0301'.repeat(5000)}`)]).toHaveLength(60)
  })

  test('letters and the marks on them are joined where there is one character for both', () => {
    expect(cleanLabel('cafe\u0301')).toBe('café')
  })

  test('is measured by letters of known width where its own are not known', () => {
    expect(measurable('Größe Привет 日本')).toBe('Größe Привет 日本')
    expect(measurable('שלום עולם')).toBe('nnnn nnnn')
    expect(measurable('👨‍👩‍👧‍👦 ok 🇳🇴')).toBe('mi ok mi')
    expect(measurable('q\u0323r')).toBe('qr')
  })

  test('a name of nothing visible is empty', () => {
    expect(cleanLabel('\u0000\u200b \n')).toBe('')
  })
})

test('a label of combining marks takes no time that is quadratic in their number', () => {
  const marks = `a${'\u0301\u0316'.repeat(4_999)}`
  for (let times = 0; times < 400; times++) cleanLabel(marks)
  expect([...cleanLabel(marks)].length).toBeLessThanOrEqual(60)
})
