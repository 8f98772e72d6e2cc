import { expect, test } from 'vitest'
import { progressBar } from './progress.ts'

function written(isTTY: boolean, columns?: number): { readonly texts: readonly string[]; readonly stream: NodeJS.WriteStream } {
  const texts: string[] = []
  return { texts, stream: { isTTY, columns, write: (text: string) => texts.push(text) > 0 } as unknown as NodeJS.WriteStream }
}

test('on a terminal a bar shows progress, and is removed at the end', () => {
  const { texts, stream } = written(true)
  const bar = progressBar(stream, 'Importing')
  for (const fraction of [0, 0.5, 1]) bar.show(fraction)
  bar.end()
  expect(texts).toEqual([
    `\rImporting ${'░'.repeat(30)} 0 %`,
    `\rImporting ${'█'.repeat(15)}${'░'.repeat(15)} 50 %`,
    `\rImporting ${'█'.repeat(30)} 100 %`,
    '\r\u001b[K',
  ])
})

test('elsewhere there is no bar', () => {
  const { texts, stream } = written(false)
  const bar = progressBar(stream, 'Importing')
  bar.show(0.5)
  bar.end()
  expect(texts).toEqual([])
})

test('a bar fits into one line of the terminal, because longer lines cannot be overwritten', () => {
  const { texts, stream } = written(true, 60)
  progressBar(stream, `Importing ${'folder/'.repeat(20)}results.ndjson`).show(1)
  expect(texts[0]).toMatch(/^\r….*results\.ndjson █{30} 100 %$/)
  expect([...(texts[0] ?? '')].length - 1).toBe(59)
  const narrow = written(true, 40)
  progressBar(narrow.stream, 'Importing results.ndjson').show(0.5)
  expect(narrow.texts).toEqual(['\r50 %'])
})
