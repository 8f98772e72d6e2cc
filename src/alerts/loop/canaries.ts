import type { Canary } from '../../catalogue/policies/policies.ts'
import type { Transport } from '../channels/channel.ts'

const everyMs = 15_000
const timeoutMs = 5_000

type CanaryOptions = {
  readonly now: () => number
  readonly transport: Transport
  /** Those of locations that this process runs, by account. */
  readonly canaries: () => readonly { readonly account: string; readonly canary: Canary }[]
  readonly onChange: (account: string) => void
}

/** Locations that can reach none of their canaries, since when, by account. */
export function watchCanaries({ now, transport, canaries, onChange }: CanaryOptions) {
  const unreachable = new Map<string, Map<string, number>>()
  const closing = new AbortController()
  let checking: Promise<unknown> = Promise.resolve()

  async function look(account: string, { location, targets }: Canary): Promise<void> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)])
    const reached = await Promise.any(targets.map((target) => reach(target, signal))).catch(() => false)
    if (closing.signal.aborted) return
    const known = unreachable.get(account) ?? new Map<string, number>()
    if (reached === known.has(location)) {
      if (reached) known.delete(location)
      else known.set(location, now())
      unreachable.set(account, known)
      onChange(account)
    }
  }

  async function reach(target: string, signal: AbortSignal): Promise<true> {
    const { hostname, port } = new URL(`tcp://${target}`)
    const socket = await transport.connect({ hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }, signal)
    socket.destroy()
    return true
  }

  const timer = setInterval(() => {
    checking = checking.then(() => Promise.all(canaries().map(({ account, canary }) => look(account, canary))))
  }, everyMs).unref()

  return {
    of: (account: string): ReadonlyMap<string, number> => unreachable.get(account) ?? new Map(),
    async close() {
      clearInterval(timer)
      closing.abort()
      await checking
    },
  }
}
