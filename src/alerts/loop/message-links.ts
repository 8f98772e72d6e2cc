import { isoText } from '../../time.ts'
import type { MessageLinks } from '../decide/input.ts'
import { acknowledgeToken } from './acknowledge-token.ts'

type LinkOptions = {
  /** Without a trailing slash; null for no links. */
  readonly publicUrl: () => string | null
  readonly secret: string
  readonly account: string
}

/** Links to the page, and the link that acknowledges an incident without a key. */
export function messageLinks({ publicUrl, secret, account }: LinkOptions): MessageLinks {
  const at = (path: string) => {
    const base = publicUrl()
    return base === null ? null : `${base}${path}`
  }
  return {
    incident: ({ id }) => ({ incident: at(`/alerts/${id}`), acknowledge: at(`/acknowledge/${acknowledgeToken(secret, account, id)}`) }),
    check: (checkId, result) => ({
      check: at(`/checks/${checkId}`),
      run: result && at(`/checks/${checkId}/runs/${encodeURIComponent(result.id)}?startedAt=${isoText(result.startedAt)}`),
    }),
  }
}
