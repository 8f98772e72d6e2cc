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

/** `headers` have lower-case names; `body` is cut after some thousand characters. */
export type ChannelAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }

/**
 * The outcome of an attempt. `retry` is tried again, after `afterMs` where the channel asks for it; `broken` will not work until somebody
 * fixes the channel. `answer` is shown to operators and holds no secrets.
 */
export type DeliveryOutcome =
  | { readonly outcome: 'delivered'; readonly answer: string }
  | {
      readonly outcome: 'retry'
      readonly answer: string
      readonly afterMs: number | null
      /** Set where nothing was sent, for example without a connection: the channel cannot have the message. */
      readonly isUnsent?: boolean
    }
  | { readonly outcome: 'broken'; readonly answer: string }

/** How a channel reaches the network: within the address policy of checks, and without following redirects. Both reject with `NoAnswer`. */
export type Transport = {
  request(request: ChannelRequest, signal: AbortSignal): Promise<ChannelAnswer>
  /** A TCP connection, for channels that are not HTTP. */
  connect(target: { readonly hostname: string; readonly port: number }, signal: AbortSignal): Promise<Socket>
  /** How long a delivery may take. */
  readonly timeoutMs: number
  /** The time of the attempt. */
  readonly now: () => number
}

/** There was no answer; `isBroken` where there will be none until somebody fixes the channel, `isUnsent` where nothing was sent. */
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
  /** For receivers that forget alerts which are not sent again: how often an open incident is repeated. */
  readonly repeatEveryMs: number | null
  deliver(message: AlertMessage, settings: ChannelSettings, transport: Transport, signal: AbortSignal): Promise<DeliveryOutcome>
}
