import type { Mapping } from '../collections/mapping.ts'
import type { WireReader } from './wire-reader.ts'

/** Request settings that a group defines once and its checks inherit. */
export type GroupRequest<Settings> = {
  /** The field of a group's API body that holds them. */
  readonly field: string
  /** The settings of a request that checks can inherit. */
  readonly parts: readonly string[]
  read(body: WireReader): Mapping
  /** Texts of the request may contain variables. */
  write(request: Mapping): Mapping
  /** Merges inherited parts into the settings of a check, whose own values win; texts may contain variables. */
  merge(settings: Mapping, request: Mapping): Mapping
  /** Texts to redact from all output, by part. */
  secrets(request: Mapping): Readonly<Record<string, readonly string[]>>
  /** Whether runs call the origin (scheme, host and port) of this address. */
  isAt(settings: Settings, address: string): boolean
}
