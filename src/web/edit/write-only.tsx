import type { ComponentChildren } from 'preact'
import { useMayWrite } from '../api/use-scope.ts'
import { Notice, Skeleton } from '../view/notice.tsx'

/** Content for keys with the scope `write`. */
export function WriteOnly({ children }: { readonly children: ComponentChildren }) {
  const mayWrite = useMayWrite()
  if (mayWrite === undefined) return <Skeleton lines={6} height={72} />
  if (mayWrite) return <>{children}</>
  return (
    <Notice title="Your key cannot change checks.">
      It does not have the scope <code>write</code>. <code>tidemark key create --scopes read,write</code> creates one that does.
    </Notice>
  )
}
