export type Verdict = {
  readonly failure: string | null
  readonly assertions: readonly AssertionOutcome[]
  readonly notes?: readonly string[]
  /** Judging exceeded its time or memory limit, so `failure` says nothing about the content. */
  readonly exceeded?: true
}

export type AssertionOutcome = { readonly text: string; readonly passed: boolean; readonly actual: string }

/** A synchronous function from a response to a verdict, and the URL of the module that exports it under the name `judge`. */
export type Judge<Input> = { readonly module: string; readonly judge: (input: Input) => Verdict }

/** Judges a response; rejects with a `ProbeFault` if it cannot be read at all. The input is plain data. */
export type JudgeFunction = <Input>(judge: Judge<Input>, input: Input) => Promise<Verdict>

/** A `JudgeFunction` for all runs; `key` identifies the check. */
export type JudgeForCheck = <Input>(
  judge: Judge<Input>,
  input: Input,
  run: { readonly key: string; readonly signal: AbortSignal },
) => Promise<Verdict>

/** Judges in this thread, without limits: for tests, and for input that no target can make large. */
export const judgeInline: JudgeFunction = async ({ judge }, input) => judge(input)
