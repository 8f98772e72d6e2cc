import { createTurns } from '../../concurrency/turns.ts'

/** Values that become text at a time. */
const valuesAtOnce = 2000
const valuesPerRow = 10

/** The JSON of an answer, as `JSON.stringify` writes it; a long one takes several turns of the event loop. */
export async function jsonInTurns(answer: object): Promise<string> {
  const turns = createTurns()
  const textOf = async (value: unknown): Promise<string> => {
    if (typeof value !== 'object' || value === null || sizeOf(value) < valuesAtOnce) return JSON.stringify(value)
    return Array.isArray(value) ? `[${await listText(value)}]` : `{${await propertiesText(value)}}`
  }
  const propertiesText = async (value: object): Promise<string> => {
    const pieces: string[] = []
    for (const [name, inner] of Object.entries(value))
      if (inner !== undefined) pieces.push(`${JSON.stringify(name)}:${await textOf(inner)}`)
    return pieces.join()
  }
  const listText = async (items: readonly unknown[]): Promise<string> => {
    const pieces: string[] = []
    for (const { some, size } of batchesOf(items)) {
      pieces.push(some.length === 1 ? await textOf(some[0]) : JSON.stringify(some).slice(1, -1))
      await turns(Math.min(size, valuesAtOnce) / valuesPerRow)
    }
    return pieces.join()
  }
  return textOf(answer)
}

type Batch = { readonly some: readonly unknown[]; readonly size: number }

/** Items that follow each other, no more of them than become text at once; a large item is alone. */
function* batchesOf(items: readonly unknown[]): Generator<Batch> {
  let some: unknown[] = []
  let size = 0
  for (const item of items) {
    const own = sizeOf(item)
    if (some.length > 0 && size + own > valuesAtOnce) {
      yield { some, size }
      some = []
      size = 0
    }
    some.push(item)
    size += own
  }
  if (some.length > 0) yield { some, size }
}

/** How many values are in a value, counted up to `valuesAtOnce`. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let size = 1
  if (Array.isArray(value)) for (let i = 0; i < value.length && size < valuesAtOnce; i++) size += sizeOf(value[i])
  else for (const name in value) if (size < valuesAtOnce) size += sizeOf(value[name as keyof typeof value])
  return size
}
