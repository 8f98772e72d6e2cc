import { isMapping } from '../../../collections/mapping.ts'
import { parsedJson } from '../../../text/parsed-json.ts'
import { CommandFailure } from '../../context.ts'
import { inputFiles, jsonInput } from '../read-input.ts'
import type { ConvertInput } from '../source.ts'

type Body = Readonly<Record<string, unknown>>

/** The resources of an account, as returned by the API. */
export type AccountBodies = {
  readonly checks: readonly Body[]
  readonly groups: readonly Body[]
  readonly variables: readonly Body[]
  readonly channels: readonly Body[]
  readonly windows: readonly Body[]
  readonly others: readonly { readonly what: string; readonly count: number }[]
}

type Kind = Exclude<keyof AccountBodies, 'others'>

/** How to recognise the kind of a body. */
const kinds: Readonly<Record<Kind, (body: Body) => boolean>> = {
  checks: (body) => typeof body.checkType === 'string',
  windows: (body) => 'startsAt' in body && 'endsAt' in body,
  channels: (body) => typeof body.type === 'string' && isMapping(body.config),
  variables: (body) => typeof body.key === 'string' && 'value' in body,
  groups: (body) => 'concurrency' in body || 'apiCheckDefaults' in body,
}

/** Reads saved API responses: each file has a page of a list or a single body. */
export async function savedAccount(paths: readonly string[]): Promise<AccountBodies> {
  const bodies: Body[] = []
  for (const file of await inputFiles(paths, /\.json$/i)) {
    const value = await jsonInput(file)
    const list = Array.isArray(value) ? value : [value]
    for (const body of list.filter(isMapping)) bodies.push(body)
  }
  return sorted(bodies)
}

function sorted(bodies: readonly Body[]): AccountBodies {
  const kindOf = (body: Body) => (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind](body)) ?? null
  const of = (kind: Kind) => bodies.filter((body) => kindOf(body) === kind)
  const unknown = bodies.filter((body) => kindOf(body) === null).length
  return {
    checks: of('checks'),
    groups: of('groups'),
    variables: of('variables'),
    channels: of('channels'),
    windows: of('windows'),
    others: unknown > 0 ? [{ what: 'other bodies', count: unknown }] : [],
  }
}

const pageSize = 100
const maxPages = 1000
const timeoutMs = 30_000
const maxAnswerBytes = 64 * 1024 * 1024
const lists = ['checks', 'check-groups', 'variables', 'alert-channels', 'maintenance-windows']

/** Fetches the lists page by page. Redirects are not followed, so that the key is sent to this address only. */
export async function askAccount(remote: NonNullable<ConvertInput['remote']>): Promise<AccountBodies> {
  const bodies: Body[] = []
  for (const list of lists) {
    for (let page = 1; page <= maxPages; page++) {
      const items = await askPage(remote, `v1/${list}?limit=${pageSize}&page=${page}`, list === 'checks')
      for (const body of items) bodies.push(body)
      if (items.length < pageSize) break
    }
  }
  return sorted(bodies)
}

async function askPage(
  { url, key, account }: NonNullable<ConvertInput['remote']>,
  path: string,
  isNeeded: boolean,
): Promise<readonly Body[]> {
  const address = new URL(path, url.endsWith('/') ? url : `${url}/`)
  const headers = { authorization: `Bearer ${key}`, ...(account !== null && { 'x-checkly-account': account }) }
  const refuse = (why: string): never => {
    throw new CommandFailure(`${address.origin}${address.pathname} ${why}`)
  }
  const response = await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }).catch(() =>
    refuse('does not respond.'),
  )
  if (!isNeeded && (response.status === 403 || response.status === 404)) return []
  if (response.status !== 200) return refuse(`returned ${response.status}.`)
  const value = parsedJson(await limitedText(response).catch(() => refuse('returned an incomplete response, or more than 64 MiB.')))
  if (!Array.isArray(value)) return refuse('did not return a JSON list.')
  return value.filter(isMapping)
}

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxAnswerBytes) throw new RangeError('the response is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
