import type { Window } from '../../store/store.ts'

/** Where the next page of a question begins; its window stays that of the first page. */
export type OffsetCursor = { readonly offset: number; readonly window: Window }

export function encodeOffset({ offset, window }: OffsetCursor): string {
  return Buffer.from(JSON.stringify([offset, window.from, window.to])).toString('base64url')
}

/** Undefined for a text that is no cursor of ours. */
export function decodeOffset(text: string): OffsetCursor | undefined {
  try {
    const [offset, from, to, ...more]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString())
    const isCursor = [offset, from, to].every((number) => Number.isSafeInteger(number) && Number(number) >= 0) && more.length === 0
    return isCursor ? { offset: Number(offset), window: { from: Number(from), to: Number(to) } } : undefined
  } catch {
    return undefined
  }
}
