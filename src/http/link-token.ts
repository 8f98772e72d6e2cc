import type { IncomingMessage } from 'node:http'

const tokens = new WeakMap<IncomingMessage, string>()

/** The URL without the token of a link, which is kept for `linkTokenOf`: routes and logs do not see it. */
export function withoutLinkToken(request: IncomingMessage, url: string): string {
  return url.replace(/([?&])link=(tdl_[^&]*)(&?)/, (_, before: string, token: string, after: string) => {
    tokens.set(request, token)
    return after && before
  })
}

/** The token of the link that a request was made with. */
export function linkTokenOf(request: IncomingMessage): string | undefined {
  return tokens.get(request)
}
