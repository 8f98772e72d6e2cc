import { readFile, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'

const sourceExtensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs']
/** Imports may name the compiled file instead of its source. */
const compiledFrom: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
}
const specifiers = /\b(?:from|import|require)\s*(?:\(\s*)?(['"])(\.{1,2}(?:\/[^'"\n]*)?)\1/g

/** The files that a script imports by a literal relative path; not packages, and not computed paths. */
export async function importedFiles(file: string): Promise<readonly string[]> {
  if (!sourceExtensions.includes(extname(file))) return []
  const source = await readFile(file, 'utf8')
  const paths = new Set([...source.matchAll(specifiers)].map((match) => join(dirname(file), match[2] ?? '')))
  const found = await Promise.all([...paths].map(resolveImport))
  return found.filter((path) => path !== null)
}

async function resolveImport(path: string): Promise<string | null> {
  const extension = extname(path)
  const uncompiled = (compiledFrom[extension] ?? []).map((one) => `${path.slice(0, -extension.length)}${one}`)
  const withExtension = [...sourceExtensions, '.json'].map((one) => `${path}${one}`)
  const indexes = sourceExtensions.map((one) => join(path, `index${one}`))
  for (const candidate of [path, ...uncompiled, ...withExtension, ...indexes]) if (await isFile(candidate)) return candidate
  return null
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
