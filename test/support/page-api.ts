import { onTestFinished, vi } from 'vitest'
import { type Api, createApi } from '../../src/web/api/client.ts'

export type AskedOfApi = { readonly path: string; readonly query: Readonly<Record<string, string>>; readonly body: unknown }

/** The page's client of an API that answers with what the test returns, and what it was asked. */
export function apiThat(answer: (asked: AskedOfApi) => unknown): { readonly api: Api; readonly asked: readonly AskedOfApi[] } {
  const asked: AskedOfApi[] = []
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('fetch', async (address: string, { body }: { body?: string }) => {
    const { pathname, searchParams } = new URL(address, 'http://page')
    const one = { path: pathname, query: Object.fromEntries(searchParams), body: body === undefined ? undefined : JSON.parse(body) }
    asked.push(one)
    return Response.json(answer(one))
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return { api: createApi({ key: 'key', account: 'account' }), asked }
}
