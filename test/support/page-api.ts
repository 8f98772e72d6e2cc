import { onTestFinished, vi } from 'vitest'

export type AskedOfApi = { readonly path: string; readonly query: Readonly<Record<string, string>>; readonly body: unknown }

type Init = { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

/** Stubs `fetch`: answers requests of the page with the test's value or `Response`, and returns the recorded requests. */
export function answerPage(answer: (asked: AskedOfApi, init: Init) => unknown): readonly AskedOfApi[] {
  const asked: AskedOfApi[] = []
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('fetch', async (address: string, init: Init) => {
    const { body } = init
    const { pathname, searchParams } = new URL(address, 'http://page')
    const one = { path: pathname, query: Object.fromEntries(searchParams), body: body === undefined ? undefined : JSON.parse(body) }
    asked.push(one)
    const given = await answer(one, init)
    return given instanceof Response ? given : Response.json(given)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return asked
}
