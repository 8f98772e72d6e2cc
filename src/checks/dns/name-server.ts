import { Resolver } from 'node:dns'
import type { Static } from '../../schema/typebox.ts'
import { ProbeFault } from '../probe/failures.ts'
import { resolve } from '../probe/net/connect.ts'
import type { RunContext } from '../probe/run.ts'
import type { DnsSettings } from './shape.ts'

export type NameServer = { readonly address: string; readonly port: number; readonly admit: RunContext['admit'] }

/**
 * The server in the settings, or the system's first name server. The operator configures the latter, not a check, so the address policy
 * does not apply to it: in clouds it is often link-local.
 */
export async function nameServerOf(
  { nameServer, port = 53 }: Static<typeof DnsSettings>['request'],
  context: RunContext,
): Promise<NameServer> {
  if (nameServer === undefined) return systemServer(systemServers()[0])
  const [address] = await resolve({ hostname: nameServer }, context)
  if (address === undefined) throw new ProbeFault(`no IP address found for ${nameServer}`)
  return { address, port, admit: context.admit }
}

/** A new resolver reads the system's configuration, which the default one does only once: machines change their networks. */
const systemServers = () => new Resolver().getServers()

/** A server as the system writes it: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1`, `[2001:db8::1]:5353`. */
export function systemServer(text: string | undefined): NameServer {
  if (text === undefined) throw new ProbeFault('this machine has no name server: set nameServer')
  const [, address = text, port = '53'] = /^\[(.+)\]:(\d+)$/.exec(text) ?? /^([^:]+):(\d+)$/.exec(text) ?? []
  return { address, port: Number(port), admit: () => {} }
}
