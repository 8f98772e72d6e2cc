import type { Env, Settings } from '../config.ts'

/** The environment of a command. */
export type Context = {
  readonly settings: Settings
  readonly env: Env
  readonly now: () => number
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** Ends the program with this message on stderr and this exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
