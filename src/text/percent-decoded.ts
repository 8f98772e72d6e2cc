/** A percent-decoded text; unchanged where it is not valid percent-encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
