import { asExhaustion, MachineExhausted } from '../exhaustion.ts'
import { AddressDenied, type AddressRules, addressPolicy } from './addresses.ts'
import { type CallContext, connectFirst, resolve } from './connect.ts'

const timeoutMs = 5000

/**
 * Whether a connection to any of the targets, `host:port`, can be opened. Null if that is unknown: the address policy of checks denies all
 * of them, this machine lacks a resource, or `closing` was aborted.
 */
export async function reachesAny(targets: readonly string[], addresses: AddressRules, closing: AbortSignal): Promise<boolean | null> {
  const done = new AbortController()
  const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs), done.signal])
  const admit = addressPolicy(addresses)
  try {
    // One signal per target: Node warns of a leak when a signal has many listeners.
    return await Promise.any(targets.map((target) => reach(target, { admit, signal: AbortSignal.any([signal]) })))
  } catch (error) {
    const { errors } = error as AggregateError
    const isUnknown = closing.aborted || errors.every((each) => each instanceof AddressDenied) || errors.some((each) => isExhaustion(each))
    return isUnknown ? null : false
  } finally {
    done.abort()
  }
}

const isExhaustion = (error: unknown) => asExhaustion(error, 'connect') instanceof MachineExhausted

async function reach(target: string, context: CallContext): Promise<true> {
  const { hostname, port } = new URL(`tcp://${target}`)
  const socket = await connectFirst(await resolve({ hostname }, context), Number(port), context)
  socket.destroy()
  return true
}
