import type { Env } from '../../config.ts'
import type { ConversionDraft } from './draft.ts'

/** A row for `tidemark import`; `startedAt` has the format of `isoText`. */
export type ConvertedResult = Readonly<Record<string, string | number | boolean | null>> & { readonly startedAt: string }

export type ConvertInput = {
  readonly files: readonly string[]
  readonly env: Env
  readonly now: number
  readonly draft: ConversionDraft
  /** Address and key of the other tool's API, if it is read over HTTP. */
  readonly remote: { readonly url: string; readonly key: string; readonly account: string | null } | null
  /** Reports the fraction of results that has been read. */
  readonly progress: (fraction: number) => void
  /** Saves a file in the output folder and returns its path for the config file. */
  readonly keepFile: (path: string, text: string) => string
}

export type ConvertSource = {
  readonly from: string
  /** Describes the input files, for the help. */
  readonly reads: string
  /** Whether the source can be read over HTTP, with an address and a key. */
  readonly asksApi?: true
  /** Fills the draft. Returns past results, which are read lazily while they are written. */
  readonly convert: (input: ConvertInput) => Promise<Iterable<ConvertedResult> | null>
}
