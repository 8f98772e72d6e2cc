import type { DeadManSwitch } from '../../catalogue/policies/policies.ts'
import { isRecent, minuteMs } from '../../time.ts'
import type { Transport } from '../channels/channel.ts'

type SwitchOptions = {
  readonly now: () => number
  readonly transport: Transport
  readonly accounts: () => Iterable<string>
  /** The current configuration of an account. */
  readonly configured: (account: string) => Pick<DeadManSwitch, 'url' | 'everyMs'> | null
  /** Whether the alerts of an account are evaluated and delivered. */
  readonly isAlive: (account: string) => boolean
  readonly onFailure: (account: string, error: unknown) => void
}

/** Calls the addresses of dead man's switches as long as alerts work, so that another service notices when they do not. */
export function startDeadManSwitches({ now, transport, accounts, configured, isAlive, onFailure }: SwitchOptions): { close(): void } {
  const calledAt = new Map<string, number>()
  const closing = new AbortController()

  async function call(account: string, url: string): Promise<void> {
    calledAt.set(account, now())
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(transport.timeoutMs)])
    try {
      const { status } = await transport.request({ method: 'POST', url, headers: {}, body: '' }, signal)
      if (status >= 300) throw new Error(`it returned ${status}`)
    } catch (error) {
      if (!closing.signal.aborted) onFailure(account, error)
    }
  }

  const timer = setInterval(() => {
    for (const account of accounts()) {
      const found = configured(account)
      if (!found || !isAlive(account)) continue
      const last = calledAt.get(account)
      if (last === undefined || !isRecent(last, found.everyMs, now())) void call(account, found.url)
    }
  }, minuteMs / 60).unref()

  return {
    close() {
      clearInterval(timer)
      closing.abort()
    },
  }
}
