/** Variables as a file that a shell reads: `set -a; . ./managed.env`. Those without a value are left out. */
export function shellAssignments(variables: ReadonlyMap<string, string | null>): string {
  const lines = [...variables].flatMap(([name, value]) => (value === null ? [] : [`${name}='${value.replaceAll("'", "'\\''")}'\n`]))
  return lines.join('')
}
