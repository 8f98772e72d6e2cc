import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { onTestFinished } from 'vitest'

/** An isolated network. */
export type Network = {
  readonly address: string
  /** Command prefix that runs a command in the network. */
  readonly wrapper: readonly string[]
}

/** A network with a single link to the hub. */
export type Namespace = Network & {
  cut(): void
  mend(): void
}

/** Why network namespaces cannot be created here; null if they can. */
export function namespacesMissing(): string | null {
  const name = `tdm-try-${process.pid}`
  const failure = tryIp('netns', 'add', name) ?? tryIp('-n', name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth1')
  tryIp('netns', 'del', name)
  return failure === null ? null : `network namespaces cannot be made on this machine: ${failure}`
}

/**
 * Namespaces that exist until the test ends, and a hub that all of them reach. Nothing is added to the network of this machine: browsers of
 * other tests would drop their connections with ERR_NETWORK_CHANGED.
 */
export function createNamespaces(count: number): { readonly hub: Network; readonly namespaces: readonly Namespace[] } {
  const subnet = `10.${randomInt(128, 250)}.${randomInt(1, 250)}`
  const name = `tdm-${process.pid}-hub`
  const hub = { name, address: `${subnet}.1`, wrapper: createNetwork(name) }
  ip('-n', name, 'addr', 'add', `${hub.address}/32`, 'dev', 'lo')
  return { hub, namespaces: Array.from({ length: count }, (_, i) => connect(hub, `${subnet}.${i + 2}`, i)) }
}

function connect(hub: Network & { readonly name: string }, address: string, index: number): Namespace {
  const name = `tdm-${process.pid}-${index}`
  const link = `eth${index}`
  const wrapper = createNetwork(name)
  const inside = (...args: readonly string[]) => ip('-n', name, ...args)
  const inHub = (...args: readonly string[]) => ip('-n', hub.name, ...args)
  const mend = () => {
    inHub('link', 'set', link, 'up')
    inHub('route', 'replace', `${address}/32`, 'dev', link)
  }
  inHub('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  inside('addr', 'add', `${address}/32`, 'dev', 'eth0')
  inside('link', 'set', 'eth0', 'up')
  inside('route', 'add', `${hub.address}/32`, 'dev', 'eth0')
  mend()
  return { address, wrapper, mend, cut: () => inHub('link', 'set', link, 'down') }
}

/** Returns a command prefix that runs a command in the network. */
function createNetwork(name: string): readonly string[] {
  ip('netns', 'add', name)
  onTestFinished(() => void tryIp('netns', 'del', name))
  ip('-n', name, 'link', 'set', 'lo', 'up')
  return ['ip', 'netns', 'exec', name]
}

function ip(...args: readonly string[]): void {
  const failure = tryIp(...args)
  if (failure !== null) throw new Error(`ip ${args.join(' ')}: ${failure}`)
}

/** Why the command failed; null if it succeeded. */
function tryIp(...args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  return status === 0 ? null : (error?.message ?? stderr.trim())
}
