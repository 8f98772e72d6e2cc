/** How often results of a check are due. */
export type Rhythm = RunRhythm | PingRhythm

type RunRhythm = {
  readonly periodMs: number
  readonly locations: number
  /** Each run at all locations; otherwise round robin, one location per run. */
  readonly parallel: boolean
}

/** The rhythm of a check that waits for pings, which may be late by `graceMs`. */
export type PingRhythm = { readonly periodMs: number; readonly graceMs: number }
