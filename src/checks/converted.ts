import type { Assertion, IpFamily } from './probe/settings.ts'

/** The type of a check and its type-specific settings, as in the config file. */
export type ConvertedCheck = { readonly type: string } & Readonly<Record<string, unknown>>

export type HttpTarget = {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly bodyType?: 'json' | 'form' | 'raw' | 'graphql'
  readonly basicAuth?: { readonly username: string; readonly password: string }
  readonly followRedirects?: boolean
  readonly skipTls?: boolean
  readonly ipFamily?: IpFamily
  readonly assertions?: readonly Assertion[]
}

const ofUrls = ['url', 'followRedirects', 'skipTls', 'ipFamily', 'assertions']
const urlSources = ['statusCode', 'certificateDays']

/** Returns a URL check if that is sufficient, otherwise an API check. */
export function asHttpCheck(target: HttpTarget, more: { readonly shouldFail?: boolean } = {}): ConvertedCheck {
  const request = present(target.method === 'GET' ? { ...target, method: undefined } : target)
  const isSimple = Object.keys(request).every((name) => ofUrls.includes(name))
  const hasSimpleAssertions = (target.assertions ?? []).every(({ source }) => urlSources.includes(source))
  return { type: isSimple && hasSimpleAssertions ? 'URL' : 'API', request, ...(more.shouldFail && more) }
}

type PortTarget = {
  readonly hostname: string
  readonly port: number
  readonly data?: string
  readonly ipFamily?: IpFamily
  readonly assertions?: readonly Assertion[]
}

export function asPortCheck(target: PortTarget, more: { readonly shouldFail?: boolean } = {}): ConvertedCheck {
  return { type: 'TCP', request: present(target), ...(more.shouldFail && more) }
}

type NameTarget = {
  readonly query: string
  readonly recordType?: string
  readonly nameServer?: string
  readonly port?: number
  readonly protocol?: string
  readonly assertions?: readonly Assertion[]
}

export function asNameCheck(target: NameTarget): ConvertedCheck {
  return { type: 'DNS', request: present(target) }
}

export function asEchoCheck(target: {
  readonly hostname: string
  readonly ipFamily?: IpFamily
  readonly pingCount?: number
}): ConvertedCheck {
  return { type: 'ICMP', request: present(target) }
}

export function asPageCheck(url: string): ConvertedCheck {
  return { type: 'BROWSER', url }
}

type JobSettings = { readonly token: string; readonly grace?: string } & (
  | { readonly period: string }
  | { readonly schedule: string; readonly timezone: string }
)

/** For a job that pings after each run. */
export function asJobCheck(heartbeat: JobSettings): ConvertedCheck {
  return { type: 'HEARTBEAT', heartbeat: present(heartbeat) }
}

/** Drops undefined values and empty lists. */
function present(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => isGiven(value)))
}
