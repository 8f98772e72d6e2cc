import type { Caller } from './answers.ts'
import { settled, useDefinitions } from './use-resource.ts'

/** Whether the key may add and change checks; undefined until that is known. */
export const useMayWrite = () => useScope('write')
/** Whether the key may acknowledge and silence; undefined until that is known. */
export const useMayOperate = () => useScope('operate')

function useScope(wanted: string): boolean | undefined {
  const caller = useDefinitions('me', async (api, signal) => (await api.request<Caller>({ path: '/next/users/me' }, signal)).data)
  if (!settled(caller)) return undefined
  return caller.data?.scopes.some((scope) => scope === wanted || scope === 'admin') ?? false
}
