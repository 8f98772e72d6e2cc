/** The path below which a reverse proxy forwards requests, such as `/tidemark`; empty for none. */
export type BasePath = string

/** The path of a request as routes know it. A proxy may have removed the base path already. */
export function withoutBasePath(url: string, basePath: BasePath): string {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}
