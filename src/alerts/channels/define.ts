import { encodings, redactedStart } from '../../checks/probe/redact.ts'
import type { Static, TObject } from '../../schema/typebox.ts'
import { type ChannelAnswer, type ChannelRequest, type ChannelType, type DeliveryOutcome, NoAnswer, type Transport } from './channel.ts'
import { oneLine } from './fit.ts'
import { deliveryOutcome } from './http.ts'
import type { AlertMessage } from './message.ts'

type Declaration<Settings extends TObject> = {
  readonly type: string
  readonly label: string
  readonly settings: Settings
  readonly secrets: (settings: Static<Settings>) => readonly string[]
  readonly address: (settings: Static<Settings>) => string
  readonly limits: ChannelType['limits']
  readonly repeatEveryMs?: number
}

export type DeliveryCall<Settings> = {
  readonly message: AlertMessage
  readonly settings: Settings
  readonly transport: Transport
  readonly signal: AbortSignal
}

type CustomDeclaration<Settings extends TObject> = Declaration<Settings> & {
  readonly deliver: (call: DeliveryCall<Static<Settings>>) => Promise<DeliveryOutcome>
}

type HttpDeclaration<Settings extends TObject> = Declaration<Settings> & {
  /** Sent one after the other; all must be delivered. */
  readonly requests: (message: AlertMessage, settings: Static<Settings>, now: number) => readonly ChannelRequest[]
  /** Interprets answers whose status does not say enough; null for the usual interpretation. */
  readonly outcome?: (answer: ChannelAnswer) => DeliveryOutcome | null
  /** The retry delay that the body of an answer asks for. */
  readonly retryAfterMs?: (body: string) => number | null
}

export function defineHttpChannel<Settings extends TObject>(declaration: HttpDeclaration<Settings>): ChannelType {
  const { requests, outcome, retryAfterMs } = declaration
  return defineChannel({
    ...declaration,
    async deliver({ message, settings, transport, signal }) {
      let last: DeliveryOutcome = { outcome: 'delivered', answer: '' }
      for (const [index, request] of requests(message, settings, transport.now()).entries()) {
        const answer = await transport.request(request, signal).catch((error) => {
          throw index > 0 && error instanceof NoAnswer ? new NoAnswer(error.message, error.isBroken) : error
        })
        last = outcome?.(answer) ?? deliveryOutcome(answer, transport.now(), retryAfterMs?.(answer.body) ?? null)
        if (last.outcome !== 'delivered') break
      }
      return last
    },
  })
}

/** Adds a deadline to deliveries, and redacts and cuts their answers. */
export function defineChannel<Settings extends TObject>({ deliver, ...declaration }: CustomDeclaration<Settings>): ChannelType {
  return eraseTypes({
    repeatEveryMs: null,
    ...declaration,
    async deliver(message, settings, transport, signal) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(transport.timeoutMs)])
      const outcome = await deliver({ message, settings, transport, signal: limited }).catch(outcomeWithoutAnswer)
      return { ...outcome, answer: shownAnswer(outcome.answer, declaration.secrets(settings).flatMap(encodings)) }
    },
  })
}

export function outcomeWithoutAnswer(error: unknown): DeliveryOutcome {
  if (!(error instanceof NoAnswer)) throw error
  if (error.isBroken) return { outcome: 'broken', answer: error.message }
  return { outcome: 'retry', answer: error.message, afterMs: null, ...(error.isUnsent && { isUnsent: true }) }
}

const maxAnswerLength = 500

function shownAnswer(answer: string, secrets: readonly string[]): string {
  return oneLine(redactedStart(answer, { complete: true, maxLength: maxAnswerLength }, secrets), maxAnswerLength)
}

type TypedChannel<Settings> = Omit<ChannelType, 'secrets' | 'address' | 'deliver'> & {
  secrets(settings: Settings): readonly string[]
  address(settings: Settings): string
  deliver(message: AlertMessage, settings: Settings, transport: Transport, signal: AbortSignal): Promise<DeliveryOutcome>
}

/** Sound because callers pass a type only settings that its own schema has accepted. */
function eraseTypes<Settings>(channelType: TypedChannel<Settings>): ChannelType {
  return channelType as unknown as ChannelType
}
