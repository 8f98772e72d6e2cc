import type { Caller } from '../api/answers.ts'
import { useDefinitions } from '../api/use-resource.ts'

/** Whether the key may add and change checks; undefined until it is known. */
export function useMayWrite(): boolean | undefined {
  const { data } = useDefinitions('me', async (api, signal) => (await api.request<Caller>({ path: '/next/users/me' }, signal)).data)
  return data?.scopes.some((scope) => scope === 'write' || scope === 'admin')
}
