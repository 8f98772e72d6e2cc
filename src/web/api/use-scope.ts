import type { Caller } from '../api/answers.ts'
import { settled, useDefinitions } from '../api/use-resource.ts'

/** Whether the key may add and change checks; undefined until that is known. */
export function useMayWrite(): boolean | undefined {
  const caller = useDefinitions('me', async (api, signal) => (await api.request<Caller>({ path: '/next/users/me' }, signal)).data)
  if (!settled(caller)) return undefined
  return caller.data?.scopes.some((scope) => scope === 'write' || scope === 'admin') ?? false
}
