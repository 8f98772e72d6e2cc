import { onTestFinished, vi } from 'vitest'

export type AskedOfApi = { readonly path: string; readonly query: Readonly<Record<string, string>>; readonly body: unknown }

/** Lets the requests of the page be answered with what the test returns, and gives those that were made. */
export function answerPage(answer: (asked: AskedOfApi) => unknown): readonly AskedOfApi[] {
  const asked: AskedOfApi[] = []
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('fetch', async (address: string, { body }: { body?: string }) => {
    const { pathname, searchParams } = new URL(address, 'http://page')
    const one = { path: pathname, query: Object.fromEntries(searchParams), body: body === undefined ? undefined : JSON.parse(body) }
    asked.push(one)
    return Response.json(answer(one))
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return asked
}
