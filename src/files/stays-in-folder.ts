/** Whether a path stays in its folder on any system: names separated by slashes, and none refers to another folder. */
export function staysInFolder(path: string): boolean {
  return !/^[A-Za-z]:/.test(path) && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && !/[\\\0]/.test(name))
}

/** Below the limit of any file system for a single name. */
export const maxPathBytes = 250

/** A path that is also the folder of another path. */
export function fileAndFolder(paths: readonly string[]): string | undefined {
  const folders = new Set(paths.flatMap((path) => path.split('/').map((_, index, names) => names.slice(0, index).join('/'))))
  return paths.find((path) => folders.has(path))
}
