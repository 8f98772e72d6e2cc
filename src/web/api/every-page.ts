import type { Api } from './client.ts'

/** Loads all pages of a list. The server limits how many entries an account has. */
export async function everyPage<T>(api: Api, path: string, signal: AbortSignal): Promise<readonly T[]> {
  const found: T[] = []
  for (let page = 1; ; page++) {
    const { data, headers } = await api.request<readonly T[]>({ path: `${path}?limit=100&page=${page}` }, signal)
    found.push(...data)
    const total = Number(headers.get('content-range')?.split('/')[1])
    if (data.length === 0 || !(found.length < total)) return found
  }
}
