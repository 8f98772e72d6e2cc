import type { Mapping } from '../collections/mapping.ts'
import type { WireReader } from './wire-reader.ts'

/** How checks of a type take over parts of requests that their group says once for all of them. */
export type GroupRequest<Settings> = {
  /** Where it stands in the body of a group. */
  readonly field: string
  /** The parts, which are settings of its request. */
  readonly parts: readonly string[]
  /** The parts in a body. */
  read(body: WireReader): Mapping
  /** The body of parts whose texts may be variables. */
  write(request: Mapping): Mapping
  /** Settings with those parts that they do not have themselves; texts may be variables. */
  merge(settings: Mapping, request: Mapping): Mapping
  /** The texts in each part that no output may show. */
  secrets(request: Mapping): Readonly<Record<string, readonly string[]>>
  /** Whether runs call the same scheme, host and port as this address. */
  isAt(settings: Settings, address: string): boolean
}
