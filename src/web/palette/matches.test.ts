import { expect, test } from 'vitest'
import { matching, type PaletteTarget } from './matches.ts'

const target = (label: string, detail = ''): PaletteTarget => ({ kind: 'Check', label, detail, href: `/${label}` })
const labels = (targets: readonly PaletteTarget[], text: string) => matching(targets, text).map(({ label }) => label)

test('a match at the start ranks before the start of a word, and that before a part of a word', () => {
  const all = [target('Workshop'), target('The shop'), target('Shop API'), target('Orders', 'shop')]
  expect(labels(all, 'SHOP')).toEqual(['Shop API', 'The shop', 'Workshop', 'Orders'])
})

test('all words must occur, in any order', () => {
  const all = [target('Shop API', 'eu'), target('Shop front'), target('API of orders')]
  expect(labels(all, 'api  shop')).toEqual(['Shop API'])
  expect(labels(all, 'eu api')).toEqual(['Shop API'])
  expect(labels(all, 'nothing')).toEqual([])
})

test('without text the first entries are listed, in order', () => {
  const all = Array.from({ length: 50 }, (_, index) => target(`Check ${index}`))
  expect(labels(all, ' ')).toEqual(all.slice(0, 30).map(({ label }) => label))
})
