/** A text as requests send it: half a surrogate pair has no encoding, so U+FFFD takes its place. */
export const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** A percent-encoded text, for any text. */
export const percentEncoded = (text: string | number) => encodeURIComponent(wellFormed(String(text)))
