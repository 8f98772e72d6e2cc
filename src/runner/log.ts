/** Where a runner says what people should know; a pino logger is one. */
export type Log = {
  info(fields: object, words: string): void
  warn(fields: object, words: string): void
  error(fields: object, words: string): void
}
