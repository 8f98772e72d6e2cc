/** Names with slashes between them, none of which means another folder on any system. */
export function staysInFolder(path: string): boolean {
  return !/^[A-Za-z]:/.test(path) && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && !/[\\\0]/.test(name))
}

/** Less than any file system takes for one name. */
export const maxPathBytes = 250

/** One of these paths of files that is the folder of another. */
export function fileAndFolder(paths: readonly string[]): string | undefined {
  const folders = new Set(paths.flatMap((path) => path.split('/').map((_, index, names) => names.slice(0, index).join('/'))))
  return paths.find((path) => folders.has(path))
}
