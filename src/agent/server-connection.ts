import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import { type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici'
import type { Env } from '../config.ts'
import type { Exchange } from './server-time.ts'

/** Sends the requests of an agent: outbound only, through the proxy of the environment. */
export type ServerConnection = {
  /** Resolves to any answer; rejects with `Unreachable` where there is none, or it was cut off. */
  send(path: string, request?: SentRequest): Promise<ServerAnswer>
  close(): Promise<void>
}

export type SentRequest = {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | null
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}
export type ServerAnswer = { readonly status: number; readonly body: string; readonly headers: { get(name: string): string | null } }

/** No answer: the server is away, or the connection broke. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Files in PEM format. */
export type TlsFiles = { readonly ca?: string | undefined; readonly cert?: string | undefined; readonly certKey?: string | undefined }

type Options = {
  readonly url: URL
  /** Read again for each request, so that a key can be replaced while the agent runs. */
  readonly keyFile: string
  readonly tls: TlsFiles
  readonly env: Env
  readonly monotonic: () => number
  readonly onExchange: (exchange: Exchange) => void
}

const defaultTimeoutMs = 30_000

export async function openServerConnection({ url, keyFile, tls, env, monotonic, onExchange }: Options): Promise<ServerConnection> {
  const dispatcher = await openDispatcher(tls, env)
  const proxyName = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxied = proxyOf(env, proxyName) === '' ? '' : `; ${proxyName} is set`
  const base = url.href.endsWith('/') ? url.href : `${url.href}/`

  async function exchange(path: string, { method = 'GET', headers, body = null }: SentRequest, signal: AbortSignal): Promise<ServerAnswer> {
    const authorization = `Bearer ${(await readFile(keyFile, 'utf8')).trim()}`
    const sentAt = monotonic()
    const init = { method, headers: { ...headers, authorization }, body, signal, dispatcher, redirect: 'error' as const }
    const answer = await fetch(new URL(path, base), init)
    const receivedAt = monotonic()
    const text = await answer.text()
    onExchange({ sentAt, receivedAt, date: answer.headers.get('date') })
    return { status: answer.status, headers: answer.headers, body: text }
  }

  return {
    async send(path, request = {}) {
      const limit = limited(request)
      try {
        return await exchange(path, request, limit.signal)
      } catch (cause) {
        throw new Unreachable(`The server at ${url.origin} cannot be reached (${reasonOf(cause)}${proxied}).`, { cause })
      } finally {
        limit.release()
      }
    },
    close: () => dispatcher.destroy(),
  }
}

/** A signal that ends a request after its timeout or with the signal of its caller, which outlives it. */
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

/** Of the environment, a proxy for addresses that `NO_PROXY` does not name; certificates beside those that Node trusts. */
async function openDispatcher({ ca, cert, certKey }: TlsFiles, env: Env): Promise<Dispatcher> {
  const read = (file: string | undefined) => (file === undefined ? undefined : readFile(file, 'utf8'))
  const [ownCa, certificate, key] = await Promise.all([read(ca), read(cert), read(certKey)])
  const tls = {
    ...(ownCa !== undefined && { ca: [...rootCertificates, ownCa] }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  }
  return new EnvHttpProxyAgent({
    httpProxy: proxyOf(env, 'HTTP_PROXY'),
    httpsProxy: proxyOf(env, 'HTTPS_PROXY'),
    noProxy: variable(env, 'NO_PROXY'),
    connect: tls,
    requestTls: tls,
  })
}

/** Upper or lower case, as programs have it. */
const variable = (env: Env, name: string) => env[name.toLowerCase()] || env[name] || ''

function proxyOf(env: Env, name: 'HTTP_PROXY' | 'HTTPS_PROXY'): string {
  const proxy = variable(env, name)
  if (proxy !== '' && !(/^https?:\/\//.test(proxy) && URL.canParse(proxy)))
    throw new Unreachable(`${name} is not the address of a proxy, such as http://proxy.example.com:3128.`)
  return proxy
}

const untrusted = 'its certificate is not trusted; name its CA with --ca'
const knownReasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UND_ERR_SOCKET: 'the connection was closed without an answer',
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { readonly cause?: { readonly code?: string; readonly message?: string } }
  return knownReasons[cause?.code ?? ''] ?? cause?.code ?? cause?.message ?? message
}
