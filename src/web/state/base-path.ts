/** Searching the document for each link of a view took a twentieth of its rendering. */
const prefixes = new WeakMap<Document, string>()

/** The path prefix of the server, such as `/tidemark`; empty for none. */
export function basePath(): string {
  const prefix = prefixes.get(document) ?? document.querySelector<HTMLMetaElement>('meta[name="tidemark-base-path"]')?.content ?? ''
  prefixes.set(document, prefix)
  return prefix
}

/** The address of the server, for snippets to copy. */
export function serverUrl(): string {
  return location.origin + basePath()
}
