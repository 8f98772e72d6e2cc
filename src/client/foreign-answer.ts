/**
 * Describes a response of something else than the API, such as a login page of a proxy; null for any other. Redirected requests lose their
 * key on another origin, and their method and body.
 */
export function foreignAnswer(response: Response, requestUrl: string): string | null {
  if (isRedirect(response))
    return `${originOf(requestUrl)} redirects to ${response.headers.get('location') ?? 'another address'}. ${advice}`
  if (response.redirected && !response.ok)
    return `${originOf(requestUrl)} redirects to ${response.url}, which returned ${response.status}. ${advice}`
  if (response.ok && isPage(response) && isOfApi(requestUrl))
    return `${response.url || requestUrl} is an HTML page and not an answer of Tidemark. ${advice}`
  return null
}

/** Whether a redirect may be followed: any other method would become GET, without the body. */
export const redirectOf = (method: string) => (method === 'GET' ? 'follow' : 'manual')

const advice =
  'Use the address and base path of the server itself. If a proxy asks for a login there, let it pass requests with an API key.'

/** Browsers hide the status of a redirect. */
const isRedirect = ({ status, type }: Response) => (status >= 300 && status < 400) || type === 'opaqueredirect'
const isPage = ({ headers }: Response) => /^text\/html\b/i.test(headers.get('content-type') ?? '')
const isOfApi = (url: string) => /\/v[12]\//.test(new URL(url).pathname)
const originOf = (url: string) => new URL(url).origin
