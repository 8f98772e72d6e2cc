import type { Metrics } from './metric.ts'
import type { Measured } from './probe/run.ts'

/** The local server that the demo's checks call. */
export type DemoTarget = {
  /** The origin of its web server, such as `http://127.0.0.1:8790`. */
  readonly url: string
  readonly hostname: string
  readonly tcpPort: number
  readonly dnsPort: number
  readonly pingToken: string
}

/** The random source of one invented run. */
export type Draw = {
  /** A factor on durations; 1 is normal. */
  readonly level: number
  /** Whether the run must fail. */
  readonly failing: boolean
  /** A positive number near `typical`, times the level. */
  around(typical: number): number
  chance(probability: number): boolean
}

/** The demo's check of a type. */
export type Demo<Settings, M extends Metrics> = {
  readonly name: string
  readonly tags: readonly string[]
  readonly settings: (target: DemoTarget) => Settings
  /** Files that the settings refer to, by their path relative to the config file. */
  readonly files: Readonly<Record<string, string>>
  readonly run: (draw: Draw) => InventedRun<M>
}

export type InventedRun<M extends Metrics> = Measured<M> & {
  /** For a type with states. */
  readonly state?: string
}
