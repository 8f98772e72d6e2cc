import { isoText } from '../../time.ts'
import type { MessageLinks } from '../decide/input.ts'
import { acknowledgeToken } from './acknowledge-token.ts'

type LinkOptions = {
  /** Without a slash at its end; null for no links. */
  readonly publicUrl: () => string | null
  readonly secret: string
  readonly account: string
}

/** Addresses of the page, and of the link by which anyone who has it acknowledges an incident. */
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
