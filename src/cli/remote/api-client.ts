import { type Client, createClient, TidemarkError, UnreachableError } from '../../client/index.ts'
import { CommandFailure } from '../context.ts'
import { certificateAdvice } from './certificate-advice.ts'
import type { Remote } from './remote.ts'

/** Calls a running server. Fails the command with the server's message, or if the server is unreachable. */
export async function ask<T>({ url, key, account }: Remote, asking: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await asking(createClient({ url: url.href, key, account }))
  } catch (error) {
    if (error instanceof TidemarkError) throw new CommandFailure(errorText(error))
    if (error instanceof UnreachableError) throw new CommandFailure(unreachableText(error))
    if (error instanceof TypeError) throw new CommandFailure(unreachableText(new UnreachableError(url.href, error)))
    throw error
  }
}

/** Passes values on as the user typed them. The server validates them and reports errors. */
export function asTyped<T>(values: object): T {
  return values as T
}

const errorText = ({ status, code, message }: TidemarkError) => (code === null ? message : `The server returned ${status}: ${message}`)

const unreachableText = (error: UnreachableError) =>
  `${error.message} ${certificateAdvice(error) ?? 'Set its address with --url or TIDEMARK_URL.'}`
