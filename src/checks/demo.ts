import type { Metrics } from './metric.ts'
import type { Measured } from './probe/run.ts'

/** Where the demo's checks point: a server of its own on this machine. */
export type DemoTarget = {
  /** The origin of its web server, such as `http://127.0.0.1:8790`. */
  readonly url: string
  readonly hostname: string
  readonly tcpPort: number
  readonly dnsPort: number
  readonly pingToken: string
}

/** The luck of one invented run. */
export type Draw = {
  /** How slow things are then; 1 is usual. */
  readonly level: number
  /** Whether the run must fail. */
  readonly failing: boolean
  /** A positive number near `typical`, times the level. */
  around(typical: number): number
  chance(probability: number): boolean
}

/** How the demo shows a check type. */
export type Demo<Settings, M extends Metrics> = {
  readonly name: string
  readonly tags: readonly string[]
  readonly settings: (target: DemoTarget) => Settings
  /** Files that the settings name, by their path beside the config file. */
  readonly files: Readonly<Record<string, string>>
  /** Invents a run. */
  readonly run: (draw: Draw) => InventedRun<M>
}

export type InventedRun<M extends Metrics> = Measured<M> & {
  /** For a type with states. */
  readonly state?: string
}
