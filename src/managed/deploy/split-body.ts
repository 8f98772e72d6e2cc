import { gunzipSync } from 'node:zlib'
import { isMapping } from '../../collections/mapping.ts'
import { type ProjectHead, projectHeadIn } from './project-head.ts'

export type SharedFile = { readonly path: string; readonly content: string }

/** The parts of a deployment. Resources are still JSON text, to be parsed in batches. */
export type DeployParts = { readonly project: ProjectHead; readonly files: readonly SharedFile[]; readonly resources: readonly string[] }

type BodyProblem = { readonly problem: string; readonly isTooLarge?: true }

const maxInflatedBytes = 32 * 2 ** 20
const maxResources = 10_000
const maxFiles = 2000
/** Bounds the time to parse one resource on the main thread. */
const maxResourceLength = 1_000_000

const tooLarge = (problem: string): BodyProblem => ({ problem, isTooLarge: true })

/** Returns problems as text, since it runs in a worker thread, where errors lose their class. */
export function splitDeployBody(bytes: Uint8Array, isCompressed: boolean): DeployParts | BodyProblem {
  const inflated = isCompressed ? inflate(bytes) : bytes
  if (!(inflated instanceof Uint8Array)) return inflated
  const body = parse(inflated)
  if (!isMapping(body)) return { problem: 'it must be a JSON object with project and resources' }
  const { project, sharedFiles = [], resources } = body
  if (!isMapping(project)) return { problem: 'project must be an object with logicalId and name' }
  const head = projectHeadIn(project)
  if ('problem' in head) return head
  if (!Array.isArray(resources) || !Array.isArray(sharedFiles)) return { problem: 'resources and sharedFiles must be lists' }
  if (resources.length > maxResources) return tooLarge(`${maxResources} resources`)
  if (sharedFiles.length > maxFiles) return tooLarge(`${maxFiles} shared files`)
  if (!sharedFiles.every(isFile)) return { problem: 'sharedFiles must be a list of objects with path and content' }
  const texts = textsOf(resources)
  if (texts === null) return { problem: 'it is nested too deep' }
  if (texts.some((text) => text.length > maxResourceLength)) return tooLarge(`${maxResourceLength} characters of a resource`)
  return { project: head, files: sharedFiles.map(({ path, content }) => ({ path, content })), resources: texts }
}

/** Null on a stack overflow. */
function textsOf(values: readonly unknown[]): readonly string[] | null {
  try {
    return values.map((value) => JSON.stringify(value))
  } catch {
    return null
  }
}

function inflate(bytes: Uint8Array): Uint8Array | BodyProblem {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxInflatedBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(`${maxInflatedBytes} bytes when decompressed`)
    return { problem: 'it is no gzip, or was cut off' }
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

const isFile = (value: unknown): value is SharedFile =>
  isMapping(value) && typeof value.path === 'string' && typeof value.content === 'string'
