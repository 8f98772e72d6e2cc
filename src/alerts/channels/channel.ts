import type { Socket } from 'node:net'
import type { TObject } from '../../schema/typebox.ts'
import type { AlertMessage } from './message.ts'

/** Settings of a channel, accepted by the schema of its type. */
export type ChannelSettings = Readonly<Record<string, unknown>>

export type ChannelRequest = {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** `headers` have lower-case names; `body` is truncated to 64 KiB. */
export type ChannelAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }

/**
 * `retry` is sent again, after `afterMs` if the channel asks for it. `broken` will fail until somebody fixes the channel. `answer` is shown
 * to operators and contains no secrets.
 */
export type DeliveryOutcome =
  | { readonly outcome: 'delivered'; readonly answer: string }
  | {
      readonly outcome: 'retry'
      readonly answer: string
      readonly afterMs: number | null
      /** Set if nothing was sent, for example without a connection, so the channel cannot have the message. */
      readonly isUnsent?: boolean
    }
  | { readonly outcome: 'broken'; readonly answer: string }

/** How a channel reaches the network: within the address policy of checks, and without following redirects. Both reject with `NoAnswer`. */
export type Transport = {
  request(request: ChannelRequest, signal: AbortSignal): Promise<ChannelAnswer>
  /** A TCP connection, for channels that are not HTTP. */
  connect(target: { readonly hostname: string; readonly port: number }, signal: AbortSignal): Promise<Socket>
  readonly timeoutMs: number
  readonly now: () => number
}

/** There was no answer. `isBroken`: there will be none until somebody fixes the channel. `isUnsent`: nothing was sent. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly isBroken: boolean
  readonly isUnsent: boolean

  constructor(message: string, isBroken: boolean, isUnsent = false) {
    super(message)
    this.isBroken = isBroken
    this.isUnsent = isUnsent
  }
}

/** A type of channel: `index.ts` of its folder exports one, and `registry.ts` lists it. */
export type ChannelType = {
  readonly type: string
  readonly label: string
  /** Its own settings in the config file, besides `id` and `type`. */
  readonly settings: TObject
  /** Texts in the settings that no log, answer or page may show. */
  secrets(settings: ChannelSettings): readonly string[]
  /** The destination, without secrets. */
  address(settings: ChannelSettings): string
  readonly limits: { readonly perMinute: number; readonly concurrent: number }
  /** How often an open incident is repeated, for receivers that forget alerts otherwise; null for no repetition. */
  readonly repeatEveryMs: number | null
  deliver(message: AlertMessage, settings: ChannelSettings, transport: Transport, signal: AbortSignal): Promise<DeliveryOutcome>
}
