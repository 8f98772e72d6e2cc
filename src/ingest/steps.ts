import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work that can be interrupted after each step of some milliseconds. */
export type Steps<T> = Generator<undefined, T>

export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The work of a step, in bytes; each row adds a fixed cost, however short it is. */
export const workPerStep = 131_072
export const workPerRow = 250

/** Does each step in a separate turn of the event loop, so that other requests are served in between. */
export async function runStepsInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}
