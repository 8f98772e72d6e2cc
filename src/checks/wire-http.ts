import type { Assertion, IpFamily } from './probe/settings.ts'
import { present } from './wire.ts'
import { readAssertions, type WireSources, writeAssertions } from './wire-assertions.ts'
import type { WireReader } from './wire-reader.ts'

const families = { IPV4: 'IPv4', IPV6: 'IPv6' } as const

export const readFamily = (request: WireReader) => request.word('ipFamily', families)

type HttpRequest = {
  readonly url: string
  readonly followRedirects?: boolean
  readonly skipTls?: boolean
  readonly ipFamily?: IpFamily
  readonly assertions?: readonly Assertion[]
}

/** Fields common to the requests of all HTTP types. */
export function readHttpRequest(request: WireReader, sources: WireSources) {
  return present<unknown>({
    url: request.template('url'),
    followRedirects: request.flag('followRedirects') === false ? false : undefined,
    skipTls: request.flag('skipSSL') || undefined,
    ipFamily: readFamily(request),
    assertions: readAssertions(request, sources),
  })
}

export function writeHttpRequest({ url, followRedirects, skipTls, ipFamily, assertions }: HttpRequest, sources: WireSources) {
  return {
    url,
    followRedirects: followRedirects ?? true,
    skipSSL: skipTls ?? false,
    ipFamily: ipFamily ?? null,
    assertions: writeAssertions(assertions, sources),
  }
}
