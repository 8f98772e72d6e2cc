/** The path prefix of the server, such as `/tidemark`; empty for none. */
export function basePath(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="tidemark-base-path"]')?.content ?? ''
}

/** The address of the server, for snippets to copy. */
export function serverUrl(): string {
  return location.origin + basePath()
}
