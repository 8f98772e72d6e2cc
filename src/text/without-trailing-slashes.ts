/** In linear time: without the lookbehind, many slashes that are not at the end take quadratic time. */
export function withoutTrailingSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '')
}
