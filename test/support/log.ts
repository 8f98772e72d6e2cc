import type { Log } from '../../src/runner/log.ts'

/** A log that remembers its words. */
export function rememberingLog(): Log & { readonly words: string[] } {
  const words: string[] = []
  const remember = (_: object, said: string) => {
    words.push(said)
  }
  return { words, info: remember, warn: remember, error: remember }
}
