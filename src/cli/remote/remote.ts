import { Option } from 'commander'
import { foreignAnswer, redirectOf } from '../../client/foreign-answer.ts'
import { CommandFailure, type Context } from '../context.ts'

export type Remote = { readonly url: URL; readonly key: string; readonly account: string }

/** Options shared by all commands that call a server. */
export type RemoteOptions = { readonly url: string; readonly key?: string; readonly account?: string }

export function remoteOf(address: string, { key, account }: Omit<RemoteOptions, 'url'>): Remote {
  const url = urlOf(address)
  if (!key) throw new CommandFailure('An API key is required: use --key or set TIDEMARK_KEY. Create one with: tidemark key create.')
  if (!account) throw new CommandFailure('An account is required: use --account or set TIDEMARK_ACCOUNT.')
  return { url, key, account }
}

/** Rejects `localhost:8787`, which is a URL of the scheme `localhost`. */
function urlOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw new CommandFailure(`${address} is not a URL such as http://127.0.0.1:8787.`)
  if (url.username !== '' || url.password !== '')
    throw new CommandFailure('The address of the server must not have a user or a password, because the API key takes their place.')
  return url
}

export async function callServer({ url, key, account }: Remote, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${key}`, 'x-service-account': account }
  const address = new URL(path.replace(/^\//, ''), url.href.endsWith('/') ? url : `${url.href}/`).href
  const response = await fetch(address, { ...init, headers, redirect: redirectOf(init.method ?? 'GET') })
  const foreign = foreignAnswer(response, address)
  if (foreign === null) return response
  await response.body?.cancel()
  throw new CommandFailure(foreign)
}

export function errorReply(status: number, body: string): CommandFailure {
  return new CommandFailure(`The server returned ${status}: ${messageOf(body) ?? 'no message.'}`)
}

export const urlOption = () => new Option('-u, --url <address>', 'use this running server instead of the data folder')

export const keyOption = ({ settings }: Context) =>
  fromEnvironment(new Option('-k, --key <key>', 'an API key (TIDEMARK_KEY)'), settings.key)

export const accountOption = ({ settings }: Context) =>
  fromEnvironment(new Option('-a, --account <id>', 'the account (TIDEMARK_ACCOUNT)'), settings.account)

/** The help must not show values from the environment, because a key is a secret. */
function fromEnvironment(option: Option, value: string | null): Option {
  return value === null ? option : option.default(value, 'from the environment')
}

function messageOf(body: string): string | null {
  try {
    const { message } = JSON.parse(body) as { message?: unknown }
    return typeof message === 'string' ? message : null
  } catch {
    return null
  }
}
