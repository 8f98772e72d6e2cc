export type ProjectHead = { readonly logicalId: string; readonly name: string; readonly repoUrl: string | null }

/** The grammar that clients enforce. */
export const logicalIdGrammar = /^[A-Za-z0-9_\-/#.]{1,255}$/

const maxNameLength = 255
const maxUrlLength = 2000

/** Reads `project` of a body, or returns its problem. */
export function projectHeadIn(project: Readonly<Record<string, unknown>>): ProjectHead | { readonly problem: string } {
  const { logicalId, name, repoUrl = null } = project
  if (typeof logicalId !== 'string' || !logicalIdGrammar.test(logicalId))
    return { problem: 'logicalId of the project must have 1 to 255 characters from A-Z, a-z, 0-9, _, -, /, # and .' }
  if (typeof name !== 'string' || name === '' || name.length > maxNameLength)
    return { problem: `name of the project must be a text of at most ${maxNameLength} characters` }
  if (repoUrl !== null && (typeof repoUrl !== 'string' || repoUrl.length > maxUrlLength))
    return { problem: `repoUrl of the project must be a text of at most ${maxUrlLength} characters` }
  return { logicalId, name, repoUrl: repoUrl || null }
}
