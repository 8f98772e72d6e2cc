import type { Part } from './part.ts'

/** The results of one day within a window, read lazily. */
export type Day = { readonly count: () => number; readonly part: () => Part }
