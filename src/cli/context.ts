import type { Env, Settings } from '../config.ts'

/** What a command knows of the world it is called in. */
export type Context = {
  readonly settings: Settings
  readonly env: Env
  readonly now: () => number
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** Ends the program with these words on stderr and this status. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(words: string, exitCode = 1) {
    super(words)
    this.exitCode = exitCode
  }
}
