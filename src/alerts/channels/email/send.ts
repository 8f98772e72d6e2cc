import { createTransport } from 'nodemailer'
import type { Static } from '../../../schema/typebox.ts'
import { type DeliveryOutcome, NoAnswer } from '../channel.ts'
import type { DeliveryCall } from '../define.ts'
import { composed } from './compose.ts'
import type { EmailSettings } from './settings.ts'

type Settings = Static<typeof EmailSettings>

const ports = { starttls: 587, tls: 465, none: 25 } as const

/** Sends over a connection that the address policy has admitted; aborting the signal closes it. */
export async function sendMail({ message, settings, transport, signal }: DeliveryCall<Settings>): Promise<DeliveryOutcome> {
  const { host, security = 'starttls', port = ports[security], username, password } = settings
  const connection = await transport.connect({ hostname: host, port }, signal)
  const abort = () => connection.destroy()
  signal.addEventListener('abort', abort)
  const mailer = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connection,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(username !== undefined && { auth: { user: username, pass: password ?? '' } }),
  })
  try {
    const { response, rejected } = await mailer.sendMail(composed(message, settings, transport.now()))
    return { outcome: 'delivered', answer: rejected.length === 0 ? response : `${response} (refused: ${rejected.map(String).join(', ')})` }
  } catch (error) {
    return failure(error, signal, transport.timeoutMs)
  } finally {
    signal.removeEventListener('abort', abort)
    connection.destroy()
  }
}

type SmtpError = Error & { readonly code?: string; readonly responseCode?: number; readonly response?: string }

/** 4yz replies are temporary, 5yz are permanent. Problems with TLS or the account need somebody to fix them. */
function failure(error: unknown, signal: AbortSignal, timeoutMs: number): DeliveryOutcome {
  if (!(error instanceof Error)) throw error
  const { code = '', responseCode = 0, response, message } = error as SmtpError
  if (signal.aborted) throw new NoAnswer(`no answer within ${timeoutMs.toLocaleString('en-US')} ms`, false)
  if (code === 'ETLS') return { outcome: 'broken', answer: `STARTTLS failed: ${message}` }
  if (responseCode >= 500) return { outcome: 'broken', answer: response ?? message }
  if (responseCode >= 400) return { outcome: 'retry', answer: response ?? message, afterMs: null }
  const isBroken = code === 'EAUTH' || /certificate/i.test(message)
  return isBroken ? { outcome: 'broken', answer: message } : { outcome: 'retry', answer: message, afterMs: null }
}
