/** The types of the web page lack this limit, which is specific to V8. */
const v8Error: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error

/**
 * An error that is an answer to a caller, not a bug. It has no stack trace: capturing one costs more than the rest of a refusal, and under
 * overload most answers are refusals.
 */
export class StacklessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = v8Error
    v8Error.stackTraceLimit = 0
    super(message, options)
    v8Error.stackTraceLimit = stackTraceLimit
  }
}
