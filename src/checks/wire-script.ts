import { withLiterals, withoutVariables } from '../text/variable-references.ts'
import type { InlineSettings } from './probe/settings.ts'
import { present } from './wire.ts'
import { readPairs, writeVariables } from './wire-pairs.ts'
import type { WireReader } from './wire-reader.ts'

type ScriptSettings = InlineSettings & {
  readonly script?: string
  readonly environment?: Readonly<Record<string, string>>
}

const maxScriptLength = 500_000

/** A script is sent as its text, with the files that it imports; `scriptPath` alone names a file next to the config file. */
export function readScript(body: WireReader): Readonly<Record<string, unknown>> {
  body.ignore('request')
  const text = body.text('script', maxScriptLength)
  const path = body.text('scriptPath')
  const files = readFiles(body)
  return present<unknown>({
    ...(text === undefined ? { script: path } : { inlineScript: withoutVariables(text) }),
    ...(files && { inlineScriptPath: path && withoutVariables(path), inlineFiles: files }),
    environment: readPairs(body, 'environmentVariables'),
  })
}

function readFiles(body: WireReader): Readonly<Record<string, string>> | undefined {
  const files = body.objects('dependencies').map((file, index) => {
    const path = file.text('path')
    if (path === undefined) body.fault('dependencies', `dependencies[${index}]: path is missing`)
    return [path ?? '', withoutVariables(file.text('content', maxScriptLength) ?? '')] as const
  })
  return files.length === 0 ? undefined : Object.fromEntries(files)
}

export function writeScriptFields({ script, inlineScript, inlineScriptPath, inlineFiles, environment }: ScriptSettings) {
  const files = Object.entries(inlineFiles ?? {}).map(([path, content]) => ({ path, content: withLiterals(content) }))
  return {
    script: inlineScript === undefined ? null : withLiterals(inlineScript),
    scriptPath: script ?? (inlineScriptPath === undefined ? null : withLiterals(inlineScriptPath)),
    ...(files.length > 0 && { dependencies: files }),
    environmentVariables: writeVariables(environment),
  }
}

export const scriptPointers = {
  '/script': '/scriptPath',
  '/inlineScript': '/script',
  '/inlineScriptPath': '/scriptPath',
  '/inlineFiles': '/dependencies',
  '/environment': '/environmentVariables',
}
