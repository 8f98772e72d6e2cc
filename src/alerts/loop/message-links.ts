import { createHmac, timingSafeEqual } from 'node:crypto'
import { isoText } from '../../time.ts'
import type { MessageLinks } from '../decide/input.ts'

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

/** Signed token in the link of a message: its bearer may acknowledge the incident without an API key. */
function acknowledgeToken(secret: string, account: string, incident: string): string {
  const named = Buffer.from(JSON.stringify([account, incident])).toString('base64url')
  return `${named}.${signatureOf(secret, named)}`
}

/** Null for an invalid token. */
export function readAcknowledgeToken(secret: string, token: string): { readonly account: string; readonly incident: string } | null {
  const [named = '', signature = ''] = token.split('.')
  const [given, expected] = [Buffer.from(signature), Buffer.from(signatureOf(secret, named))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const [account, incident] = JSON.parse(Buffer.from(named, 'base64url').toString()) as [string, string]
  return { account, incident }
}

function signatureOf(secret: string, named: string): string {
  return createHmac('sha256', secret).update(`acknowledge ${named}`).digest('base64url')
}
