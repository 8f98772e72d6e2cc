import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openYamlSource } from '../../catalogue/config-file/yaml-source.ts'
import { CommandFailure } from '../context.ts'

const mebibyte = 1024 * 1024
const maxYamlBytes = 32 * mebibyte
const maxJsonBytes = 256 * mebibyte
export const maxFiles = 1000
const maxDepth = 10

async function inputText(file: string, maxBytes: number): Promise<string> {
  const stats = await stat(file).catch(() => null)
  if (!stats) throw new CommandFailure(`File not found: ${file}.`)
  if (!stats.isFile()) throw new CommandFailure(`${file} is not a file.`)
  if (stats.size > maxBytes) throw new CommandFailure(`${file} is larger than ${maxBytes / mebibyte} MiB.`)
  const bytes = await readFile(file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CommandFailure(`${file} is not UTF-8 text.`)
  }
}

export async function yamlInput(file: string): Promise<unknown> {
  const { read } = openYamlSource(await inputText(file, maxYamlBytes))
  if (!('faults' in read)) return read.value
  const [fault] = read.faults
  throw new CommandFailure(`${file} cannot be read as YAML: line ${fault?.line ?? 1}: ${fault?.text ?? 'it is not valid'}.`)
}

export async function jsonInput(file: string): Promise<unknown> {
  const text = await inputText(file, maxJsonBytes)
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandFailure(`${file} cannot be read as JSON.`)
  }
}

/** The input files: all files with this ending below a folder, and named files with any ending. */
export async function inputFiles(paths: readonly string[], ending: RegExp): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of paths) {
    const stats = await stat(path).catch(() => null)
    if (!stats) throw new CommandFailure(`File not found: ${path}.`)
    found.push(...(stats.isDirectory() ? await filesBelow(path, ending, 0) : [path]))
  }
  if (found.length > maxFiles) throw new CommandFailure(`There are more than ${maxFiles} files.`)
  if (found.length === 0) throw new CommandFailure('No file to read.')
  return found
}

async function filesBelow(folder: string, ending: RegExp, depth: number): Promise<readonly string[]> {
  if (depth > maxDepth) return []
  const entries = (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const found: string[] = []
  for (const entry of entries.slice(0, maxFiles * 10)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) found.push(...(await filesBelow(path, ending, depth + 1)))
    else if (entry.isFile() && ending.test(entry.name)) found.push(path)
  }
  return found
}
