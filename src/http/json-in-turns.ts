import { createTurns } from '../turns.ts'

/** So many items of a list become text at a time. */
const itemsAtOnce = 100
const charsPerRow = 200

/** The JSON of an answer, as `JSON.stringify` writes it; long lists in it take several turns of the event loop. */
export async function jsonInTurns(answer: object): Promise<string> {
  const turns = createTurns()
  const textOf = async (value: unknown): Promise<string> => {
    if (!hasLongList(value)) return JSON.stringify(value)
    const pieces: string[] = []
    if (!Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value))
        if (inner !== undefined) pieces.push(`${JSON.stringify(name)}:${await textOf(inner)}`)
      return `{${pieces.join()}}`
    }
    for (let first = 0; first < value.length; first += itemsAtOnce) {
      const items = value.slice(first, first + itemsAtOnce)
      if (items.some(hasLongList)) for (const item of items) pieces.push(await textOf(item))
      else pieces.push(JSON.stringify(items).slice(1, -1))
      await turns((pieces.at(-1)?.length ?? 0) / charsPerRow)
    }
    return `[${pieces.join()}]`
  }
  return textOf(answer)
}

/** Whether a value is a long list, or has one among its properties or items. */
function hasLongList(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length > itemsAtOnce || value.some(hasLongList)
  for (const name in value) if (hasLongList(value[name as keyof typeof value])) return true
  return false
}
