import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { onTestFinished } from 'vitest'

/** A network of its own, connected to this machine by one link. */
export type Namespace = {
  readonly address: string
  /** Runs a command in it. */
  readonly wrapper: readonly string[]
  cut(): void
  mend(): void
}

/** Why network namespaces cannot be made here; null where they can. */
export function namespacesMissing(): string | null {
  const name = `tdm-try-${process.pid}`
  const failure =
    tryIp('netns', 'add', name) ?? tryIp('link', 'add', `tdt${process.pid}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  tryIp('netns', 'del', name)
  return failure === null ? null : `network namespaces cannot be made on this machine: ${failure}`
}

/** Namespaces until the test is over, and an address of this machine that all of them reach. */
export function createNamespaces(count: number): { readonly host: string; readonly namespaces: readonly Namespace[] } {
  const subnet = `10.${randomInt(128, 250)}.${randomInt(1, 250)}`
  const host = `${subnet}.1`
  ip('addr', 'add', `${host}/32`, 'dev', 'lo')
  onTestFinished(() => void tryIp('addr', 'del', `${host}/32`, 'dev', 'lo'))
  return { host, namespaces: Array.from({ length: count }, (_, i) => createNamespace(host, `${subnet}.${i + 2}`, i)) }
}

function createNamespace(host: string, address: string, index: number): Namespace {
  const name = `tdm-${process.pid}-${index}`
  const link = `td${process.pid}-${index}`
  const wrapper = ['ip', 'netns', 'exec', name]
  const inside = (...args: readonly string[]) => ip('-n', name, ...args)
  const mend = () => {
    ip('link', 'set', link, 'up')
    ip('route', 'replace', `${address}/32`, 'dev', link)
  }
  ip('netns', 'add', name)
  onTestFinished(() => void tryIp('netns', 'del', name))
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  inside('link', 'set', 'lo', 'up')
  inside('addr', 'add', `${address}/32`, 'dev', 'eth0')
  inside('link', 'set', 'eth0', 'up')
  inside('route', 'add', `${host}/32`, 'dev', 'eth0')
  mend()
  return { address, wrapper, mend, cut: () => ip('link', 'set', link, 'down') }
}

function ip(...args: readonly string[]): void {
  const failure = tryIp(...args)
  if (failure !== null) throw new Error(`ip ${args.join(' ')}: ${failure}`)
}

/** Why it failed; null where it did not. */
function tryIp(...args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  return status === 0 ? null : (error?.message ?? stderr.trim())
}
