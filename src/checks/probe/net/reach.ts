import { AddressDenied, type AddressRules, addressPolicy } from './addresses.ts'
import { type CallContext, connectFirst, resolve } from './connect.ts'

const timeoutMs = 5000

/** Whether a connection to any of these, `host:port`, can be opened; null where the address policy of checks denies them all. */
export async function reachesAny(targets: readonly string[], addresses: AddressRules, closing: AbortSignal): Promise<boolean | null> {
  const done = new AbortController()
  const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs), done.signal])
  const admit = addressPolicy(addresses)
  try {
    // Each has a signal of its own, since many listeners to one are taken for a leak.
    return await Promise.any(targets.map((target) => reach(target, { admit, signal: AbortSignal.any([signal]) })))
  } catch (error) {
    const { errors } = error as AggregateError
    return errors.every((each) => each instanceof AddressDenied) ? null : false
  } finally {
    done.abort()
  }
}

async function reach(target: string, context: CallContext): Promise<true> {
  const { hostname, port } = new URL(`tcp://${target}`)
  const socket = await connectFirst(await resolve({ hostname }, context), Number(port), context)
  socket.destroy()
  return true
}
