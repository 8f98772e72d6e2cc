import type { Env, Settings } from '../config.ts'
import { shortenedLines } from '../text/shortened.ts'

export type Context = {
  readonly settings: Settings
  readonly env: Env
  readonly now: () => number
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** Exit code of every command whose check does not exist or is ambiguous. */
export const unknownCheckExit = 2

/** Ends the program with a message on stderr and an exit code. Shortens echoed input. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(shortenedLines(message))
    this.exitCode = exitCode
  }
}
