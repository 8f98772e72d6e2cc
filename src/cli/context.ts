import type { Env, Settings } from '../config.ts'
import { shortenedLines } from '../text/shortened.ts'

/** The environment of a command. */
export type Context = {
  readonly settings: Settings
  readonly env: Env
  readonly now: () => number
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** The exit code of every command where a check that it names does not exist, or is not the only one. */
export const unknownCheckExit = 2

/** Ends the program with this message on stderr and this exit code. Echoed input is shortened. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(shortenedLines(message))
    this.exitCode = exitCode
  }
}
