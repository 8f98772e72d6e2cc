/** A text of others on one line: a blank in place of line breaks and other control characters. */
export function withoutControls(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}
