/** Puts untrusted text on one line: replaces line breaks and other control characters with a space. */
export function withoutControls(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}
