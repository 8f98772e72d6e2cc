import { expect, test } from 'vitest'
import { progressBar } from './progress.ts'

function written(isTTY: boolean): { readonly texts: readonly string[]; readonly stream: NodeJS.WriteStream } {
  const texts: string[] = []
  return { texts, stream: { isTTY, write: (text: string) => texts.push(text) > 0 } as unknown as NodeJS.WriteStream }
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
