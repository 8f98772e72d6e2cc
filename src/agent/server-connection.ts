import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, rootCertificates } from 'node:tls'
import { type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici'
import type { Env } from '../config.ts'
import type { TimedExchange } from './server-time.ts'

/** Sends the requests of an agent: outbound only, through the proxy of the environment. */
export type ServerConnection = {
  /** Resolves to an answer of any status; rejects with `Unreachable` if there is none or the connection breaks. */
  send(path: string, request?: SentRequest): Promise<ServerAnswer>
  close(): Promise<void>
}

type SentRequest = {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | null
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}
export type ServerAnswer = { readonly status: number; readonly body: string; readonly headers: { get(name: string): string | null } }

/** No answer: the server cannot be reached, or the connection broke. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

type AuthorizedRequest = SentRequest & { readonly key: string }

/** Files in PEM format. */
export type TlsFiles = { readonly ca?: string | undefined; readonly cert?: string | undefined; readonly certKey?: string | undefined }

type Options = {
  readonly url: URL
  /** Read again for each request, so that a key can be replaced while the agent runs. */
  readonly keyFile: string
  readonly tls: TlsFiles
  readonly env: Env
  readonly monotonic: () => number
  readonly onExchange: (exchange: TimedExchange) => void
}

const defaultTimeoutMs = 30_000

export async function openServerConnection({ url, keyFile, tls, env, monotonic, onExchange }: Options): Promise<ServerConnection> {
  const dispatcher = await openDispatcher(tls, env)
  const proxyName = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxied = proxyOf(env, proxyName) === '' ? '' : `; ${proxyName} is set`
  const base = url.href.endsWith('/') ? url.href : `${url.href}/`

  async function exchange(path: string, request: AuthorizedRequest, signal: AbortSignal): Promise<ServerAnswer> {
    const { method = 'GET', headers, body = null, key } = request
    const sentAt = monotonic()
    const init = { method, headers: { ...headers, authorization: `Bearer ${key}` }, body, signal, dispatcher, redirect: 'error' as const }
    const answer = await fetch(new URL(path, base), init)
    const receivedAt = monotonic()
    const text = await answer.text()
    onExchange({ sentAt, receivedAt, date: answer.headers.get('date') })
    return { status: answer.status, headers: answer.headers, body: text }
  }

  return {
    async send(path, request = {}) {
      const key = await readKeyFile(keyFile)
      const limit = limited(request)
      try {
        return await exchange(path, { ...request, key }, limit.signal)
      } catch (cause) {
        throw new Unreachable(`The server at ${url.origin} cannot be reached (${reasonOf(cause)}${proxied}).`, { cause })
      } finally {
        limit.release()
      }
    },
    close: () => dispatcher.destroy(),
  }
}

/** Errors do not quote the file, since its content could be a secret. */
export async function readKeyFile(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Unreachable(`The key file ${file} cannot be read (${error.code}).`)
  })
  const key = text.trim()
  if (!/^[!-~]+$/.test(key)) throw new Unreachable(`The key file ${file} must contain one key and nothing else.`)
  return key
}

/** Aborts a request after its timeout or with the caller's signal. Must be released, since that signal outlives the request. */
function limited({ signal, timeoutMs = defaultTimeoutMs }: SentRequest): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}

/** Uses the proxy of the environment, except for addresses in `NO_PROXY`, and trusts certificates in addition to those of Node. */
async function openDispatcher(files: TlsFiles, env: Env): Promise<Dispatcher> {
  const trusted = await trustedBy(files, env)
  const tls = { ...trusted, ...(await shownBy(files)) }
  return new EnvHttpProxyAgent({
    httpProxy: proxyOf(env, 'HTTP_PROXY'),
    httpsProxy: proxyOf(env, 'HTTPS_PROXY'),
    noProxy: variable(env, 'NO_PROXY'),
    connect: tls,
    requestTls: tls,
    proxyTls: trusted,
  })
}

/** With `ca`, Node trusts neither its own CAs nor those of NODE_EXTRA_CA_CERTS, so both are added. */
async function trustedBy({ ca }: TlsFiles, { NODE_EXTRA_CA_CERTS: extra }: Env): Promise<{ readonly ca?: string[] }> {
  if (ca === undefined) return {}
  const own = await readFile(ca, 'utf8')
  usable(`--ca ${ca}`, () => new X509Certificate(own))
  return { ca: [...rootCertificates, ...(extra ? [await readFile(extra, 'utf8')] : []), own] }
}

async function shownBy({ cert: file, certKey: keyFile }: TlsFiles): Promise<{ readonly cert?: string; readonly key?: string }> {
  if (file === undefined && keyFile === undefined) return {}
  if (file === undefined || keyFile === undefined) throw new Unreachable('--cert and --cert-key must be given together.')
  const [cert, key] = await Promise.all([readFile(file, 'utf8'), readFile(keyFile, 'utf8')])
  usable(`--cert ${file} with --cert-key ${keyFile}`, () => createSecureContext({ cert, key }))
  return { cert, key }
}

function usable(what: string, use: () => unknown): void {
  try {
    use()
  } catch (cause) {
    throw new Unreachable(`${what} cannot be used (${(cause as NodeJS.ErrnoException).code}).`, { cause })
  }
}

/** Lower or upper case: programs use both. */
const variable = (env: Env, name: string) => env[name.toLowerCase()] || env[name] || ''

function proxyOf(env: Env, name: 'HTTP_PROXY' | 'HTTPS_PROXY'): string {
  const proxy = variable(env, name)
  if (proxy !== '' && !(/^https?:\/\//.test(proxy) && URL.canParse(proxy)))
    throw new Unreachable(`${name} is not the address of a proxy, such as http://proxy.example.com:3128.`)
  return proxy
}

const untrusted = 'its certificate is not trusted; pass its CA with --ca'
const knownReasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not support TLS there; is it an http address?',
  UND_ERR_SOCKET: 'the connection was closed without a response',
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { readonly cause?: { readonly code?: string; readonly message?: string } }
  return knownReasons[cause?.code ?? ''] ?? cause?.code ?? cause?.message ?? message
}
