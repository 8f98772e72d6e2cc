import type { Env } from '../../config.ts'
import type { ConversionDraft } from './draft.ts'

/** A row that `tidemark import` takes; `startedAt` is as `isoText` writes it. */
export type ConvertedResult = Readonly<Record<string, string | number | boolean | null>> & { readonly startedAt: string }

export type ConvertInput = {
  readonly files: readonly string[]
  readonly env: Env
  readonly now: number
  readonly draft: ConversionDraft
  /** An address and a key of the other tool, where it is asked over HTTP. */
  readonly remote: { readonly url: string; readonly key: string; readonly account: string | null } | null
  /** Shows how much of the results has been read. */
  readonly progress: (fraction: number) => void
  /** Keeps a file that the config file refers to, below the output folder; its path there. */
  readonly keepFile: (path: string, text: string) => string
}

/** A tool that people come from. */
export type ConvertSource = {
  /** Its name on the command line. */
  readonly from: string
  /** Its files, for the help. */
  readonly reads: string
  /** Whether it can be asked over HTTP, with an address and a key. */
  readonly asksApi?: true
  /** Fills the draft. It yields past results, which are read as they are written. */
  readonly convert: (input: ConvertInput) => Promise<Iterable<ConvertedResult> | null>
}
